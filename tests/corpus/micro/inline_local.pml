/* expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0 */
byte g; inline f(v){ byte t; t=v; g=t } active proctype P(){ f(1); f(2) }
