byte a[3];
byte i;
chan q = [2] of { byte };

init {
	for (a : 0 .. 2) { skip };
	for (i in q) { skip };
	for (i : 5 .. 2) { skip }
}
