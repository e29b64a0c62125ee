/* An index that is guarded inside a predicate is not asked for where the guard is false.
   expect-liveness: property=p mode=acceptance fair=0 violated=0
*/
byte i = 5; byte a[3]; bit q;
active proctype P() { do :: q = 1 - q od }
ltl p { [] (((i < 3) -> (a[i] == 0)) -> <> q) }
