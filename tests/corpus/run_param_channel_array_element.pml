/* run with an element of an array of channels in a struct.
   expect: verdict=verified stored=34 matched=22 transitions=56 atomic=0 depth=11 errors=0
*/
typedef H { chan c[2] = [1] of { byte } };
H h;
proctype W(chan c; byte v) { c!v }
init { byte x; run W(h.c[1], 9); run W(h.c[0], 8); h.c[0]?x; assert(x == 8); h.c[1]?x; assert(x == 9) }
