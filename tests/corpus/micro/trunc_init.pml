/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=0 */
byte g=300; bit h=2; short s=70000; unsigned u:4=17; active proctype P(){ byte l=300; bit m=3; printf("g %d h %d s %d u %d l %d m %d\n",g,h,s,u,l,m) }
