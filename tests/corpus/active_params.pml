/* An active proctype with parameters starts with zeros; run gives others.
   expect: verdict=verified stored=19 matched=10 transitions=29 atomic=0 depth=8 errors=0
*/
active proctype P(byte a; short b) { assert(a == b || a == 4) ; b = a }
init { run P(4, 9) }
