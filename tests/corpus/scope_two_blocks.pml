/* The same name in two blocks after each other is two variables in the state.
   expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0
*/
byte r;
active proctype P() { { byte t = 1; r = r + t }; { byte t = 2; r = r + t }; { short t = -3; r = r + t }; assert(r == 0) }
