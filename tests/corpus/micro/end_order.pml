/* expect: verdict=verified stored=7 matched=2 transitions=9 atomic=0 depth=4 errors=0 */
active proctype A(){ skip } active proctype B(){ skip }
