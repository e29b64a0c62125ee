/* A hidden variable and a dead one that happen to go together: to clear the dead one would make one state of two that the search
   has to tell apart, since it does not know of the hidden one. Nothing is left out by default in a model with hidden variables.

   expect: verdict=violated stored=10 matched=1 transitions=11 atomic=0 depth=5 errors=1
*/
hidden byte h;
byte x;
active proctype P() {
	byte l;
	if :: h = 0; l = 0 :: h = 1; l = 1 fi;
	x = 1;
	assert(h == 0)
}
