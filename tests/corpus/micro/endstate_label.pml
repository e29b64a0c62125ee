/* expect: verdict=verified stored=1 matched=0 transitions=1 atomic=0 depth=0 errors=0 */
chan q=[1] of {byte}; byte x; active proctype P(){ end: q?x }
