/* !! sorts by all fields from left to right; equal messages keep their order.
   expect: verdict=verified stored=17 matched=0 transitions=17 atomic=0 depth=16 errors=0
*/
chan q = [5] of { byte, byte, byte };
active proctype P()
{
	byte a, b, c;
	q!!2,1,1; q!!1,9,1; q!!2,0,5; q!!1,9,0; q!!2,1,0;
	q?a,b,c; assert(a == 1 && b == 9 && c == 0);
	q?a,b,c; assert(a == 1 && b == 9 && c == 1);
	q?a,b,c; assert(a == 2 && b == 0);
	q?a,b,c; assert(a == 2 && b == 1 && c == 0);
	q?a,b,c; assert(c == 1)
}
