/* --> is ->.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
active proctype P() { if :: x < 3 --> x++ :: else fi }
