/* expect: verdict=violated stored=9 matched=2 transitions=11 atomic=1 depth=7 errors=5 */
byte x; proctype A(byte n){ assert(n!=1 && n!=2) } init { atomic { run A(1); run A(2) } }
