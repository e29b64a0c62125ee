/* A trace over two channels; events on other channels do not matter.
   expect: verdict=verified stored=16 matched=5 transitions=21 atomic=0 depth=10 errors=0
*/
chan a = [1] of { bit };
chan b = [1] of { bit };
chan c = [1] of { bit };
trace { do :: a!1 -> b!1 :: a!0 od }
active proctype P() { a!1; c!1; b!1; a!0 }
active proctype Q() { a?1; c?1; b?1; a?0 }
