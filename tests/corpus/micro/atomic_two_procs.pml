/* expect: verdict=verified stored=13 matched=6 transitions=19 atomic=21 depth=12 errors=0 */
byte x; active [2] proctype P(){ atomic { x++; x-- ; x++; x-- }; skip }
