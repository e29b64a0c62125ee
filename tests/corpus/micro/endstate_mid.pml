/* expect: verdict=violated stored=1 matched=0 transitions=1 atomic=0 depth=0 errors=1 */
chan q=[1] of {byte}; byte x; active proctype P(){ q?x }
