/* A trace over receives, with a parameter that does not matter.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
chan q = [1] of { byte, byte };
trace { do :: q?1,_; q?2,_ od }
active proctype S() { q!1,5; q!2,6 }
active proctype R() { byte x; q?x,_; q?x,_ }
