/* Named mtypes are numbered on their own.
   expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0
*/
mtype:fruit = { apple, pear };
mtype:colour = { red, green, blue };
mtype:fruit f = pear;
mtype:colour c;
chan q = [1] of { mtype:fruit, mtype:colour };
active proctype P() { assert(apple == 2 && pear == 1 && red == 3 && blue == 1); c = green; q!f,c; f = apple; q?f,c; assert(f == pear && c == green); printf("%e %e\n", f, c) }
