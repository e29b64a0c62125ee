/* printm prints the name of an mtype value.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
mtype = { ping, pong };
active proctype P() { mtype m = pong; printm(m); m = ping; printm(m) }
