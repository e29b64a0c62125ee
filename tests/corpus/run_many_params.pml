/* Parameters of every type, truncated as they are passed.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
proctype P(byte b; short s; int i; bit t; bool f; mtype m; pid q) { assert(b == 44 && s == -1 && i == 70000 && t == 1 && f && m == 1 && q == 0) }
mtype = { only };
init { run P(300, 65535, 70000, 3, true, only, _pid) }
