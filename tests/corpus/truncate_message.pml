/* Message fields take the width of the channel, receivers that of their variable.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
chan q = [2] of { byte, short, bit, int };
active proctype P() { byte a; short b; bit c; int d; byte e; q!-1,70000,2,-5; q?a,b,c,d; assert(a == 255 && b == 4464 && c == 0 && d == -5); q!1,300,1,1000; q?a,e,c,d; assert(e == 44) }
