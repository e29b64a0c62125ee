/* The pattern of a trace is evaluated when something is received.

   expect: verdict=violated stored=9 matched=3 transitions=12 atomic=0 depth=5 errors=1
*/
chan q = [1] of { byte };
byte g;

trace { end: do :: q?eval(g) od }

active proctype Writer() { g = 1 }
active proctype Both() { q!0; q?_ }
