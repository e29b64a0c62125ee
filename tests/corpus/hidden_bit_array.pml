/* A hidden array and a hidden struct.
   expect: verdict=verified stored=8 matched=2 transitions=10 atomic=0 depth=5 errors=0
*/
typedef T { byte a; byte b };
hidden byte h[3];
hidden T ht;
byte x;
active proctype P() { if :: h[0] = 1; ht.a = 1 :: h[1] = 2; ht.b = 2 :: h[2] = 3; ht.a = 3 fi; x = 1; h[0] = 0 }
