/* expect: verdict=verified stored=9 matched=2 transitions=11 atomic=0 depth=6 errors=0 */
byte g=5; proctype A(byte p){ byte a=p+1; byte b=a+1; byte c=g; printf("a %d b %d c %d\n",a,b,c) } init{ g=7; run A(3); g=9 }
