/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=6 depth=12 errors=0 */
byte x; active proctype P(){ S: if :: atomic { x<3 -> x++; goto S } :: else fi; x=9 }
