/* A block that ends with a process more, or with none.

   expect: verdict=verified stored=13 matched=2 transitions=15 atomic=6 depth=6 errors=0
*/
byte h;

proctype Child() { byte x; h = 1; x = h; end: false }

active proctype Writer() { h = 2; end: false }
active proctype Maker() { atomic { skip; if :: skip :: run Child() fi }; end: false }
