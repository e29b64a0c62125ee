/* Repeat after a loss: a minimal stop-and-wait.
   expect: verdict=verified stored=23 matched=2 transitions=25 atomic=0 depth=17 errors=0
*/
chan d = [1] of { bit };
chan a = [1] of { bit };
active proctype S() { bit b, r; byte i; do :: i < 2 -> d!b; do :: a?r -> if :: r == b -> break :: else fi :: timeout -> d!b od; b = 1 - b; i++ :: i == 2 -> break od }
active proctype R() { bit b; end: do :: d?b -> if :: a!b :: skip fi od }
