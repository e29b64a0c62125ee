/* More than 64 options: the last of them is the one that matters.

   expect: verdict=violated stored=29 matched=11 transitions=40 atomic=0 depth=7 errors=3
*/
byte gate, way;

active proctype Many() {
	if
	:: skip
	:: gate == 1 -> skip
	:: gate == 2 -> skip
	:: gate == 3 -> skip
	:: gate == 4 -> skip
	:: gate == 5 -> skip
	:: gate == 6 -> skip
	:: gate == 7 -> skip
	:: gate == 8 -> skip
	:: gate == 9 -> skip
	:: gate == 10 -> skip
	:: gate == 11 -> skip
	:: gate == 12 -> skip
	:: gate == 13 -> skip
	:: gate == 14 -> skip
	:: gate == 15 -> skip
	:: gate == 16 -> skip
	:: gate == 17 -> skip
	:: gate == 18 -> skip
	:: gate == 19 -> skip
	:: gate == 20 -> skip
	:: gate == 21 -> skip
	:: gate == 22 -> skip
	:: gate == 23 -> skip
	:: gate == 24 -> skip
	:: gate == 25 -> skip
	:: gate == 26 -> skip
	:: gate == 27 -> skip
	:: gate == 28 -> skip
	:: gate == 29 -> skip
	:: gate == 30 -> skip
	:: gate == 31 -> skip
	:: gate == 32 -> skip
	:: gate == 33 -> skip
	:: gate == 34 -> skip
	:: gate == 35 -> skip
	:: gate == 36 -> skip
	:: gate == 37 -> skip
	:: gate == 38 -> skip
	:: gate == 39 -> skip
	:: gate == 40 -> skip
	:: gate == 41 -> skip
	:: gate == 42 -> skip
	:: gate == 43 -> skip
	:: gate == 44 -> skip
	:: gate == 45 -> skip
	:: gate == 46 -> skip
	:: gate == 47 -> skip
	:: gate == 48 -> skip
	:: gate == 49 -> skip
	:: gate == 50 -> skip
	:: gate == 51 -> skip
	:: gate == 52 -> skip
	:: gate == 53 -> skip
	:: gate == 54 -> skip
	:: gate == 55 -> skip
	:: gate == 56 -> skip
	:: gate == 57 -> skip
	:: gate == 58 -> skip
	:: gate == 59 -> skip
	:: gate == 60 -> skip
	:: gate == 61 -> skip
	:: gate == 62 -> skip
	:: gate == 63 -> skip
	:: gate == 64 -> skip
	:: way = 1
	fi
}

active proctype Few() {
	byte c;
	if
	:: c = 1
	:: c = 2
	:: c = 3
	fi;
end1:	way == 0;
end2:	way == 1;
	assert(false)
}
