/* skip, true, goto and break as only statements of options.
   expect: verdict=verified stored=14 matched=4 transitions=18 atomic=0 depth=11 errors=0
*/
byte n;
active proctype P() { do :: n < 2 -> n++; if :: skip :: true :: goto l fi; l: n = n :: n == 2 -> if :: break :: n = 3; break fi od }
