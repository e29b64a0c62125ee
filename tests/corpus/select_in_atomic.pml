/* select in atomic and in a loop.
   expect: verdict=verified stored=26 matched=3 transitions=29 atomic=24 depth=14 errors=0
*/
byte v, w;
active proctype P() { do :: w < 3 -> atomic { select(v : 0 .. 2); w = w + v + 1 } :: w >= 3 -> break od }
