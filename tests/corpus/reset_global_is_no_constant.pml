/*
 * g is written once, by a statement whose value nobody reads. With that statement left out nothing writes g but the reset
 * behind its last read, so g is 1 at first and 0 later on, and a[g] is not the same element for good.

   expect: verdict=violated stored=20 matched=10 transitions=30 atomic=0 depth=6 errors=2
*/
byte a[2];
byte g = 1;
active proctype P() {
	byte i = 1;
	if
	:: a[i] = 0
	:: a[i] = 2; a[g] = 5
	fi;
	g = 3
}
active proctype Q() { assert(a[1] != 5) }
