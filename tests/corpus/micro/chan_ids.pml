/* expect: verdict=verified stored=7 matched=2 transitions=9 atomic=0 depth=4 errors=0 */
chan a=[1] of {byte}; chan b[2]=[1] of {byte}; chan c; active proctype P(){ chan d=[1] of {byte}; printf("a %d b0 %d b1 %d c %d d %d\n",a,b[0],b[1],c,d) } active proctype Q(){ chan e=[1] of {byte}; printf("e %d\n",e) }
