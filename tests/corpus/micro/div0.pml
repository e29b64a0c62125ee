/* Division by zero: undefined in pan's C, an error with its place in pv. SPIN errs here: docs/spin-differences.md
   expect: verdict=violated stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=1
*/
byte x,y; active proctype P(){ x=1/y; x=2 }
