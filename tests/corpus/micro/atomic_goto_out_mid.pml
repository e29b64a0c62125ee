/* expect: verdict=verified stored=17 matched=5 transitions=22 atomic=7 depth=9 errors=0 */
byte x; active proctype P(){ atomic{ if :: x==0 -> goto L :: x==1 -> x=2 fi; x=5 }; x=9; L: x=3 }
active proctype Q(){ x=1 }
