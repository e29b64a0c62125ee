/* A trace assertion that one interleaving breaks.
   expect: verdict=violated stored=10 matched=1 transitions=11 atomic=0 depth=4 errors=1
*/
mtype = { one, two };
chan q = [2] of { mtype };
trace { q!one; q!two }
active proctype A() { q!one }
active proctype B() { q!two }
