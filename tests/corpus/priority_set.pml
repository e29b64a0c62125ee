/* set_priority and get_priority at run time.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
byte log;
active proctype A() priority 3 { assert(get_priority(_pid) == 3); set_priority(_pid, 1); log = 1 }
active proctype B() priority 2 { log = 2; set_priority(_pid, 9); assert(get_priority(1) == 9); log = 3 }
