/* A typedef in a typedef in an array of typedef, with arrays inside.
   expect: verdict=verified stored=28 matched=0 transitions=28 atomic=0 depth=27 errors=0
*/
typedef In { byte v[2]; bit flag };
typedef Mid { In a; In b[2] };
typedef Out { Mid m[2]; short n };
Out g[2];
active proctype P()
{
	byte i, j;
	for (i : 0 .. 1) {
		for (j : 0 .. 1) {
			g[i].m[j].b[1 - j].v[i] = 10 * i + j + 1
		}
	}
	assert(g[1].m[0].b[1].v[1] == 11 && g[0].m[1].b[0].v[0] == 2);
	g[1].m[1].a.flag = g[0].m[0].b[1].v[0] + 1;
	g[1].n = -5;
	assert(!g[1].m[1].a.flag && g[1].n < 0)
}
