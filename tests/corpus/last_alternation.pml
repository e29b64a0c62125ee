/* _last tells who moved last; it is part of the state.
   expect: verdict=verified stored=439 matched=356 transitions=795 atomic=0 depth=22 errors=0
*/
byte n;
active [2] proctype P() { byte i; do :: i < 3 -> i++; n = _last :: else -> break od }
