/* The priority of a process type counts for the instances that `active` makes; `run` without a clause of its own starts at 1.

   expect: verdict=verified stored=103 matched=42 transitions=145 atomic=0 depth=12 errors=0
*/
byte high;
proctype R(bool a) priority 3 { high = get_priority(_pid); a = 0 }
active proctype P() { high = 7; high = 8 }
init { run R(1); run R(1) priority 2 }
