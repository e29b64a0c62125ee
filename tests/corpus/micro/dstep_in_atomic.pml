/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=2 depth=5 errors=0 */
byte x; active proctype P(){ atomic{ x=1; d_step{ x=2; x=3}; x=4 }; x=5 }
