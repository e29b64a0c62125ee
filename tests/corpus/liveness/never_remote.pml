/* A never claim with remote references to labels.
   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
byte t;
active [2] proctype P() { do :: t == _pid -> cs: t = 1 - _pid od }
never { do :: P[0]@cs && P[1]@cs -> break :: else od }
