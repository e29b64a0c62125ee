/* Channels as fields of a typedef, in an array.
   expect: verdict=verified stored=18 matched=3 transitions=21 atomic=0 depth=8 errors=0
*/
typedef Port { chan in = [1] of { byte }; chan out; byte n };
Port p[2];
active proctype A() { p[0].out = p[1].in; p[0].out!5; p[0].n = len(p[1].in) }
active proctype B() { byte v; p[1].in?v; assert(v == 5); p[1].n = v }
