/* One sender, three possible receivers, one of them with a constant that does not match.
   expect: verdict=verified stored=53 matched=22 transitions=75 atomic=0 depth=9 errors=0
*/
chan q = [0] of { byte };
byte who;
active [2] proctype R() { byte v; end: q?v; who = _pid + 1 }
active proctype C() { end: q?7; who = 9 }
active proctype S() { q!3; q!7 }
