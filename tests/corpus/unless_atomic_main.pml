/* An escape out of the middle of an atomic block that has blocked.
   expect: verdict=violated stored=18 matched=3 transitions=21 atomic=8 depth=11 errors=1
*/
byte go, stop, x;
active proctype P()
{
	do
	:: { atomic { x = 1; go == 1 -> x = 2; go = 0 } } unless { stop -> break }
	od
}
active proctype Q() { go = 1; (x == 2); stop = 1 }
