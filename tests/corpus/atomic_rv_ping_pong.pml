/* Control goes from one atomic block to the other and back.
   expect: verdict=verified stored=12 matched=1 transitions=13 atomic=21 depth=16 errors=0
*/
chan a = [0] of { byte };
chan b = [0] of { byte };
byte n;
active proctype P() { byte v; atomic { a!1; b?v; n = v; a!2; b?v; n = v } }
active proctype Q() { byte v; atomic { a?v; n = 10; b!v + 1; a?v; n = 20; b!v + 2 } }
active proctype W() { n = 50 }
