/* expect: verdict=verified stored=14 matched=0 transitions=14 atomic=0 depth=13 errors=0 */
byte g; active proctype P(){ byte i; for (i: 0..1) { byte z; z++; g=z } }
