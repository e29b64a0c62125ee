/* break out of a do in atomic, with statements behind it in the block.
   expect: verdict=verified stored=7 matched=2 transitions=9 atomic=40 depth=20 errors=0
*/
byte x;
active [2] proctype P() { byte i; atomic { do :: i < 2 -> i++; x++ :: i == 2 -> break od; x = x * 2 } }
