/* SPIN errs here: it calls p violated, since A goes around through a label of its own that begins with accept. A formula does not speak of labels. See docs/spin-differences.md.

   expect-liveness: property=p mode=acceptance fair=0 violated=0
   expect-liveness: property=q mode=acceptance fair=0 violated=0
   expect-liveness: property=p mode=acceptance fair=1 violated=0
*/
byte g;
active proctype A() { accept_1: do :: g = 1 - g od }
ltl p { [] (g < 2) }
ltl q { <> (g == 1) }
