/* pc_value gives the internal state number; comparing it with itself is safe.
   expect: verdict=verified stored=13 matched=6 transitions=19 atomic=0 depth=6 errors=0
*/
byte same;
active proctype A() { skip; skip }
active proctype B() { same = (pc_value(0) == pc_value(0)); assert(same == 1) }
