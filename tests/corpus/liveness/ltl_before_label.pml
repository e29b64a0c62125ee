/* A formula may stand before what it names.
   expect-liveness: property=never_there mode=acceptance fair=0 violated=1
*/
ltl never_there { [] !(p@there) }
byte x;
active proctype p() { x = 1; there: x = 2 }
