/* Every cycle goes through a progress label.
   expect-liveness: property=- mode=non-progress fair=0 violated=0
   expect-liveness: property=- mode=non-progress fair=1 violated=0
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }
