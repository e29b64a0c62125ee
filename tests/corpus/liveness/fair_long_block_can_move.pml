/* A process can move beside the long block of another one.
   expect-liveness: property=- mode=acceptance fair=1 violated=0
*/
bool done;
active proctype B() { done = true }
active proctype A() { int i;
accept: do
  :: !done -> atomic { i = 0; do :: i < 6000 -> i++ :: else -> break od; i = 0 }
  :: done -> break
  od }
