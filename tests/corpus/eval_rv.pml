/* eval() in a rendezvous receive selects the sender.
   expect: verdict=verified stored=23 matched=9 transitions=32 atomic=2 depth=18 errors=0
*/
chan q = [0] of { byte, byte };
proctype S(byte id) { q!id,id * 10 }
init {
	byte v, who = 2;
	atomic { run S(1); run S(2); run S(3) };
	q?eval(who),v; assert(v == 20);
	who = 3; q?eval(who),v; assert(v == 30);
	who = 1; q?eval(who),v; assert(v == 10)
}
