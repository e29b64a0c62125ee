/* Invalid end states are counted per state.
   expect: verdict=violated stored=40 matched=30 transitions=70 atomic=0 depth=7 errors=5
*/
chan a = [1] of { bit };
chan b = [1] of { bit };
active proctype P() { a!1; b?_; a?_ }
active proctype Q() { b!1; a?_; b?_ }
active proctype R() { if :: a?_ :: b?_ :: skip fi }
