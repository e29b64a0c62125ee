/* expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=3 */
byte a[2]; byte i; active proctype P(){ i=2; a[i]=5; printf("a0 %d a1 %d\n",a[0],a[1]) }
