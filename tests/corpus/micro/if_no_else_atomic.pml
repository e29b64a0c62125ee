/* expect: verdict=violated stored=11 matched=2 transitions=13 atomic=9 depth=8 errors=1 */
byte x; active proctype P(){ atomic{ x=5; if :: x==1 -> x=2 fi; x=3 } } active proctype Q(){ x=1 }
