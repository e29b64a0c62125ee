/* An older process that has finished waits for the younger ones.
   expect: verdict=violated stored=29 matched=14 transitions=43 atomic=0 depth=10 errors=3
*/
byte x;
proctype Short() { skip }
proctype Long() { x = 1; x = 2 }
init { run Short(); run Long(); (_nr_pr == 2) -> assert(x == 2) }
