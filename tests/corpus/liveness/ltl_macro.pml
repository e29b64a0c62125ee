/* Macros as propositions.
   expect-liveness: property=p1 mode=acceptance fair=0 violated=0
   expect-liveness: property=p2 mode=acceptance fair=0 violated=0
*/
#define busy (x > 1)
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl p1 { [] (busy -> <> !busy) }
ltl p2 { []<> (busy && x != 3) }
