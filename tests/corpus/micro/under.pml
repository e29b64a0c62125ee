/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
byte x; chan q=[1] of {byte}; active proctype P(){ q!3; q?_; _=5; x=1 }
