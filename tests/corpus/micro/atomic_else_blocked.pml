/* expect: verdict=violated stored=14 matched=4 transitions=18 atomic=12 depth=10 errors=1 */
byte x; active proctype P(){ atomic{ x=5; if :: x==1 -> x=2 :: x==6 -> x=7 fi; x=3 } } active proctype Q(){ do :: x==5 -> x=6 :: break od }
