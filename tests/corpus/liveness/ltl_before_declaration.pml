/* A formula may stand before what it names.
   expect-liveness: property=p mode=acceptance fair=0 violated=1
*/
ltl p { [] (x == 0) }
byte x;
active proctype P() { x = 1 }
