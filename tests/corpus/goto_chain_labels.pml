/* Several labels on one statement, chains of gotos.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
byte x;
active proctype P() { goto a; b: x = 2; goto c; a: a2: x = 1; if :: x == 1 -> goto b :: x == 9 -> goto a2 fi; c: x = 3 }
