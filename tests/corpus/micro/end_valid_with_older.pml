/* expect: verdict=verified stored=2 matched=0 transitions=2 atomic=0 depth=1 errors=0 */
byte x; proctype A(){ end: (x==9) } init{ run A() }
