/*
 * As merged_write_opens_own_guard, at a location where the guard is tried and fails before the merged write.

   expect: verdict=violated stored=45 matched=26 transitions=71 atomic=0 depth=9 errors=5
*/
byte x, y, z;
byte g;
active proctype P() {
	do
	:: g == 1 && y == 0 -> assert(false)
	:: g == 0 -> x = 1; g = 1
	:: y == 1 -> break
	od
}
active proctype Q() { y = 1; z = x; assert(z < 2) }
