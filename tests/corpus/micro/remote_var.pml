/* expect: verdict=violated stored=10 matched=2 transitions=12 atomic=0 depth=6 errors=1 */
byte x; active proctype P(){ byte v=3; v=4; v=5 } active proctype Q(){ P:v==4 -> x=1 }
