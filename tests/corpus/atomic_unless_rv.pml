/* Atomic, unless and rendezvous together.
   expect: verdict=verified stored=8 matched=1 transitions=9 atomic=4 depth=13 errors=0
*/
chan q = [0] of { byte };
chan kill = [0] of { bit };
byte x;
active proctype P() { byte v; { do :: atomic { q?v; x = v; x++ } od } unless { kill?1 -> x = 50 } }
active proctype Q() { q!1; q!2; kill!1 }
