/* A channel with a field of each type.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
mtype = { mm };
chan link = [1] of { bit, bool, byte, short, int, mtype, pid, chan };
active proctype P() { link!1,true,255,-1,100000,mm,_pid,link }
active proctype Q() { bit a; bool b; byte c; short d; int e; mtype f; pid g; chan h; link?a,b,c,d,e,f,g,h; assert(a && b && c == 255 && d == -1 && e == 100000 && f == mm && g == 0 && h == link) }
