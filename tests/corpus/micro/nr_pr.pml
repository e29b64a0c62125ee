/* expect: verdict=verified stored=15 matched=1 transitions=16 atomic=0 depth=8 errors=0 */
byte n; proctype A(){ skip } init{ assert(_nr_pr==1); run A(); n=_nr_pr; (_nr_pr==1); assert(n<=2) }
