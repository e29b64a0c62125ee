/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
proctype Q(byte a; bit b; short c){ printf("param byte %d bit %d short %d\n",a,b,c) } init{ run Q(300,2,70000) }
