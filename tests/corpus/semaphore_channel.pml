/* A channel as a semaphore among three.
   expect: verdict=verified stored=83 matched=30 transitions=113 atomic=0 depth=18 errors=0
*/
chan sema = [1] of { bit };
byte in;
active [3] proctype P() { sema!1; in++; assert(in == 1); in--; sema?1 }
