/* len of a channel between two writers and a reader.
   expect: verdict=violated stored=164 matched=117 transitions=281 atomic=0 depth=16 errors=4
*/
chan q = [3] of { bit };
byte m;
active [2] proctype W() { q!1; q!0 }
active proctype R() { do :: len(q) > m -> m = len(q) :: m == 3 -> break :: q?1 :: timeout -> break od }
