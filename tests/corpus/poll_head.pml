/* q?[..] tests without taking; with constants, variables and eval.
   expect: verdict=verified stored=18 matched=8 transitions=26 atomic=0 depth=9 errors=0
*/
mtype = { a, b };
chan q = [2] of { mtype, byte };
active proctype P()
{
	byte v = 9;
	do
	:: q?[a,_] -> q?a,v; assert(v == 1)
	:: q?[b,eval(v + 1)] -> q?b,_; break
	:: q?[b,eval(v)] -> assert(false)
	od
}
active proctype Q() { q!a,1; q!b,2 }
