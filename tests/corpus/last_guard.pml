/* _last as a guard: strict alternation of two processes.
   expect: verdict=violated stored=61 matched=21 transitions=82 atomic=0 depth=16 errors=5
*/
byte turns;
active proctype A() { do :: _last != _pid && turns < 6 -> turns++ :: turns == 6 -> break od }
active proctype B() { do :: _last != _pid && turns < 6 -> turns++ :: turns == 6 -> break od }
