/* A whole for in atomic: one stored state.
   expect: verdict=verified stored=7 matched=2 transitions=9 atomic=60 depth=28 errors=0
*/
byte t[3];
active [2] proctype P() { byte i; atomic { for (i : 0 .. 2) { t[i]++ } } }
