/* for (m in channel) goes once around the queue.
   expect: verdict=verified stored=20 matched=0 transitions=20 atomic=0 depth=19 errors=0
*/
typedef M { byte a; byte b };
chan q = [3] of { M };
byte sum;
active proctype P() { M m; m.a = 1; m.b = 10; q!m; m.a = 2; q!m; for (m in q) { sum = sum + m.a + m.b } assert(sum == 23 && len(q) == 2) }
