/* A long block takes one of two others along: each of them moves again and again.
   expect-liveness: property=- mode=acceptance fair=1 violated=1
*/
chan r = [0] of {bit}; chan b = [0] of {bit};
bool stop;
active [2] proctype Q() { do :: atomic { r?1; b!1 } :: stop = 1; break od }
active proctype P() { int i;
accept: do
  :: atomic { !stop; i = 0; do :: i < 6000 -> i++ :: else -> break od; i = 0; r!1; b?1; i = 0; i = 0 }
  :: stop -> break
  od }
