/* unsigned fields of several widths wrap at their own size.
   expect: verdict=verified stored=14 matched=0 transitions=14 atomic=0 depth=13 errors=0
*/
unsigned u1 : 1, u5 : 5;
unsigned u12 : 12 = 4095;
active proctype P() { u1++; u1++; assert(u1 == 0); u5 = 31; u5++; assert(u5 == 0); u5--; assert(u5 == 31); u12++; assert(u12 == 0); u12 = 5000; assert(u12 == 904) }
