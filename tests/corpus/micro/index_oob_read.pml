/* expect: verdict=violated stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=1 */
byte a[2]; byte i,x; active proctype P(){ a[0]=7; i=3; x=a[i]; printf("x %d\n",x) }
