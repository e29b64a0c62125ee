/* SPIN errs here: A may not move, for its provided clause never holds, but pan says that it is enabled: the end of the claim
   is reached. A process that cannot make a step is not enabled. See docs/spin-differences.md.

   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
bool open;
active proctype A() provided (open) { skip; false }
active proctype B() { skip; false }
never { do :: enabled(0) -> break :: else od }
