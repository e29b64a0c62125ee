/* <> p at the end of a system that terminates.
   expect-liveness: property=ends mode=acceptance fair=0 violated=0
   expect-liveness: property=ends mode=acceptance fair=1 violated=0
*/
byte n;
active [2] proctype P() { n++ }
ltl ends { <>[] (n == 2) }
