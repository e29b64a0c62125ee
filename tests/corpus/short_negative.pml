/* Negative shorts in arrays, messages, comparisons and loops.
   expect: verdict=verified stored=19 matched=0 transitions=19 atomic=0 depth=18 errors=0
*/
short a[3] = -2;
chan q = [2] of { short };
active proctype P() { short i; for (i : -1 .. 1) { a[i + 1] = a[i + 1] * i } assert(a[0] == 2 && a[1] == 0 && a[2] == -2); q!a[2]; q?i; assert(i == -2); q!-300; q?-300 }
