/* A for in d_step.
   expect: verdict=verified stored=7 matched=2 transitions=9 atomic=0 depth=4 errors=0
*/
byte t[3];
active [2] proctype P() { byte i; d_step { for (i : 0 .. 2) { t[i]++ } i = 0 } }
