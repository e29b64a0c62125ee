/* The escape receives from a buffered channel; the main sequence uses the same channel.
   expect: verdict=verified stored=45 matched=25 transitions=70 atomic=0 depth=12 errors=0
*/
chan q = [2] of { byte };
byte n;
active proctype P()
{
end:	do
	:: { q?1 -> n = 1; n = 2 } unless { q?5 -> n = 5 }
	od
}
active proctype Q() { q!1; q!5; q!1; q!5 }
