/* accept and progress labels mean nothing to the safety search, except that a goto to them stays.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
byte x;
active proctype P() { accept: x = 1; if :: x -> goto progress :: !x -> skip fi; x = 2; progress: x = 3; x = 0 }
