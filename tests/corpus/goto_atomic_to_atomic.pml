/* From one atomic block into the middle of another.
   expect: verdict=verified stored=13 matched=6 transitions=19 atomic=26 depth=13 errors=0
*/
byte x;
active [2] proctype P()
{
	atomic { x++; if :: x > 2 -> goto b :: x <= 2 -> goto c fi };
	atomic { x = 9; b: x = 1; c: x = x + 2; x = x };
	skip
}
