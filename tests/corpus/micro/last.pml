/* expect: verdict=verified stored=19 matched=8 transitions=27 atomic=0 depth=6 errors=0 */
byte x; active proctype P(){ x=1; x=2 } active proctype Q(){ byte l; l=_last; skip }
