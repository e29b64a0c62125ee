/* A process that ends: an accept label before the end makes no cycle.
   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { x = 1; accept_here: x = 2 }
