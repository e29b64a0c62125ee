/* Jumps out of an atomic block to a place before and a place after it.
   expect: verdict=verified stored=22 matched=9 transitions=31 atomic=18 depth=11 errors=0
*/
byte x, y;
active proctype P()
{
back:	x++;
	atomic { y = x; if :: x < 2 -> y = 0; goto back :: x == 2 -> y = 5; goto out :: x > 2 fi; y = 6 };
out:	y = 7
}
active proctype Q() { x = 2 }
