/* notrace: the error is that the forbidden order is completed.
   expect: verdict=violated stored=10 matched=1 transitions=11 atomic=0 depth=4 errors=2
*/
mtype = { m1, m2 };
chan q = [2] of { mtype };
notrace { q!m2; q!m1 }
active proctype A() { q!m1 }
active proctype B() { q!m2 }
