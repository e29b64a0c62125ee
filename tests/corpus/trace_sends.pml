/* A trace assertion on the order of sends; every other order is an error.
   expect: verdict=violated stored=12 matched=3 transitions=15 atomic=0 depth=8 errors=1
*/
mtype = { req, rep };
chan q = [2] of { mtype };
trace { do :: q!req; q!rep od }
active proctype A() { q!req; q!rep; q!req; q!rep }
active proctype B() { do :: q?_ od }
