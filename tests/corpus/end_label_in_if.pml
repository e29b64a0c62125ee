/* An end label on a statement inside an option.
   expect: verdict=violated stored=3 matched=0 transitions=3 atomic=0 depth=1 errors=1
*/
byte x;
active proctype P() { if :: x = 1; end: (x == 2) :: x = 3; (x == 4) fi }
