/* B can enter its block, which never ends. A run in which it never does is not fair, and behind the entry there is no state.
   SPIN errs here: pan does not come to the end of the block, only to its depth limit.

   expect-liveness: property=p mode=acceptance fair=1 violated=0
*/
byte g, h;
active proctype A() { do :: h = 0 od }
active proctype B() { atomic { do :: g = 1 - g od } }
ltl p { <> (g == 1) }
