/* An offer inside a block looks at a process that was just made, behind an escape that would be taken otherwise.

   expect: verdict=violated stored=17 matched=5 transitions=22 atomic=5 depth=10 errors=2
*/
chan qs[2] = [1] of { byte }; chan r = [0] of { byte };
byte x;
proctype Z() { byte i = 5; bool b = 1; { qs[i]?_ } unless { b -> skip } }
active proctype R() { end: r?_ }
active proctype M() { run Z() }
active proctype A() { atomic { x = 1; r!1 } }
