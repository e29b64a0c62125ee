/* eval(_pid): mailboxes in a single channel.
   expect: verdict=verified stored=20 matched=9 transitions=29 atomic=1 depth=11 errors=0
*/
chan q = [2] of { byte, byte };
proctype W() { byte v; q??eval(_pid),v; assert(v == _pid + 5) }
init { atomic { run W(); run W() }; q!2,7; q!1,6 }
