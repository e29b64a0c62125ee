/* A channel is sent over a channel and used for the answer.
   expect: verdict=verified stored=72 matched=34 transitions=106 atomic=0 depth=15 errors=0
*/
chan ask = [1] of { byte, chan };
proctype client(byte v) { chan rep = [1] of { byte }; byte r; ask!v,rep; rep?r; assert(r == v + 1) }
active proctype server() { byte v; chan c; end: do :: ask?v,c -> c!v + 1 od }
init { run client(1); run client(5) }
