/* All conversions of printf, also without arguments and with %%.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
mtype = { hello };
active proctype P() { byte b = 200; short s = -3; mtype m = hello; printf("plain\n"); printf("%d %u %x %o %c %e %d%%\n", s, b, b, b, 65, m, 100); printf("tab\tquote \" end\n") }
