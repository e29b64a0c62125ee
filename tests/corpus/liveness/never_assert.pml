/* An assert in a claim.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: assert(x < 3) od }
