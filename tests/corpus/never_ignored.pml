/* A never claim in the model: the counts here are those without it.
   expect: verdict=verified stored=8 matched=1 transitions=9 atomic=0 depth=7 errors=0
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: x < 4 :: x == 2 -> break od }
