/* expect: verdict=verified stored=18 matched=3 transitions=21 atomic=0 depth=7 errors=0 */
byte n; proctype A(byte k){ n=k } init { run A(1); run A(2) }
