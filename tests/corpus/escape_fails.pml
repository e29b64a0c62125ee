/* An escape that fails does not keep the main statement from being tried. SPIN errs here: it gives up
   at the error and leaves the rest open.

   expect: verdict=violated stored=9 matched=1 transitions=10 atomic=0 depth=4 errors=3
*/
byte y, z;

active proctype Waiter() { if :: y == 0 -> false :: y == 1 fi }
active proctype Guarded() { { y = 1 } unless { d_step { skip; z == 1 } } }
