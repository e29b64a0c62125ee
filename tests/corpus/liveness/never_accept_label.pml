/* The accept label of a process counts beside a claim that was written by hand, though the claim itself accepts nothing.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte g;
active proctype A() { accept_1: do :: g = 1 - g od }
never { do :: true od }
