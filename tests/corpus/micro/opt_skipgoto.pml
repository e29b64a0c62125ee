/* expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0 */
byte x; active proctype P(){ skip; x=1; skip; skip; x=2; printf("a"); assert(x==2) }
