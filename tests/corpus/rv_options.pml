/* Several rendezvous as options of one do, both directions.
   expect: verdict=verified stored=55 matched=20 transitions=75 atomic=0 depth=19 errors=0
*/
chan a = [0] of { byte };
chan b = [0] of { byte };
active proctype P() { byte v, n; do :: n < 3 && v < 50 -> if :: a!n :: b?v fi; n++ :: n == 3 || v >= 50 -> break od }
active proctype Q() { byte w, n; do :: a?w -> n++ :: b!n -> n++ :: timeout -> break od }
