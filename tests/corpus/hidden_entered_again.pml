/* A state that is entered again with another value of a hidden variable is not to be judged by the few moves that are tried
   there.

   expect: verdict=verified stored=10 matched=7 transitions=17 atomic=0 depth=5 errors=0
*/
hidden byte h;

active proctype Changing() { if :: skip :: h = 1 fi; h = 0 }
active proctype Waiting() { h == 0 }
