/* Two atomic blocks that hand over to each other in their middle.
   expect: verdict=verified stored=9 matched=1 transitions=10 atomic=8 depth=11 errors=0
*/
byte a, b;
active proctype P() { atomic { a = 1; (b == 1); a = 2; (b == 2); a = 3 } }
active proctype Q() { atomic { (a == 1); b = 1; (a == 2); b = 2 } }
