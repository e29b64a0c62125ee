/* An offer inside a block looks at a receive behind an escape that would be taken otherwise.

   expect: verdict=violated stored=17 matched=9 transitions=26 atomic=4 depth=9 errors=2
*/
chan qs[2] = [1] of { byte }; chan r = [0] of { byte }; byte x;
active proctype X() { byte i = 5; bool b; b = 1; { qs[i]?_ } unless { b -> skip } }
active proctype A() { atomic { x = 1; r!1 } }
active proctype R() { r?_ }
