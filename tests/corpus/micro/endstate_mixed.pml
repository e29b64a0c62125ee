/* expect: verdict=violated stored=1 matched=0 transitions=1 atomic=0 depth=0 errors=1 */
byte x; active proctype P(){ end: (x==1) } active proctype Q(){ (x==1) }
