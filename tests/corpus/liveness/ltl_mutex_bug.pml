/* A lock that is tested and set in two steps.
   expect-liveness: property=mutex mode=acceptance fair=0 violated=1
*/
bool lock;
byte in;
active [2] proctype P() { do :: !lock -> lock = true; in++; in--; lock = false od }
ltl mutex { [] (in <= 1) }
