/* expect: verdict=violated stored=2 matched=0 transitions=2 atomic=0 depth=1 errors=1 */
byte x; active proctype A(){ x==0 } active proctype B(){ (x==1) }
