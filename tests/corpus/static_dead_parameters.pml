/* Parameters that nobody reads, and parameters that die early, do not tell processes apart.

   expect: verdict=verified stored=281 matched=310 transitions=591 atomic=0 depth=16 errors=0
*/
byte g;
chan q = [1] of { byte };

proctype a(byte unused; byte x)
{
	q!x;
	q?_;
	g = 1
}

init
{
	byte n;
	do
	:: n < 2 -> run a(n, 0); n++
	:: n < 2 -> run a(5, n); n++
	:: else -> break
	od
}
