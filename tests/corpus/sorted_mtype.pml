/* !! with mtype as the first field sorts by its number.
   expect: verdict=verified stored=14 matched=2 transitions=16 atomic=0 depth=11 errors=0
*/
mtype = { low, mid, high };
chan q = [3] of { mtype, byte };
active proctype A() { q!!high,1; q!!low,2 }
active proctype B() { q!!mid,3 }
active proctype C() { mtype m; byte v; (full(q)); q?m,v; printf("%e %d\n", m, v); q?m,v; q?m,v }
