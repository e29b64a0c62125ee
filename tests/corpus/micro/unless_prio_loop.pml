/* expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0 */
byte x; active proctype P(){ do :: { x<3 -> x++ } unless { x==2 -> x=5; break } od }
