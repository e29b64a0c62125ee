/* A rendezvous channel is sent through a buffered one.
   expect: verdict=verified stored=8 matched=1 transitions=9 atomic=0 depth=7 errors=0
*/
chan pub = [1] of { chan };
active proctype A() { chan own = [0] of { byte }; byte v; pub!own; own?v; assert(v == 6) }
active proctype B() { chan c; pub?c; c!6 }
