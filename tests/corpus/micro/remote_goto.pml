/* expect: verdict=violated stored=14 matched=4 transitions=18 atomic=0 depth=7 errors=1 */
byte x; active proctype P(){ x=1; L: goto M; x=5; M: x=2 } active proctype Q(){ P@L -> skip }
