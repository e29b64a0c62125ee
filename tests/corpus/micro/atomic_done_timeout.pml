/* expect: verdict=verified stored=10 matched=2 transitions=12 atomic=1 depth=7 errors=0 */
byte x; active proctype P(){ atomic{ x=1; (x==2) }; x=3 } active proctype Q(){ timeout -> x=2 }
