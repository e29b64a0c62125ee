/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
typedef T { byte a; short b[2]; bit c }; T t[2]; active proctype P(){ t[1].b[1]=70000; t[1].c=3; printf("%d %d\n",t[1].b[1],t[1].c) }
