/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=0 */
mtype={a,b,c}; mtype={d,e}; mtype:fr={f,g}; active proctype P(){ printf("a %d b %d c %d d %d e %d f %d g %d\n",a,b,c,d,e,f,g) }
