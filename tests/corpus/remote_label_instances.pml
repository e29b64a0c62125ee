/* Remote references with the pid of one of several instances.
   expect: verdict=violated stored=16 matched=26 transitions=42 atomic=0 depth=8 errors=3
*/
byte in;
active [2] proctype P() { do :: in++; cs: in--; od }
active proctype W() { (P[0]@cs && P[1]@cs); assert(in == 2) }
