/*
 * S offers a message inside a block and asks R, who then stands at a receive from a variable that never holds a channel.

   expect: verdict=violated stored=12 matched=7 transitions=19 atomic=2 depth=7 errors=1
*/
chan c = [0] of { byte };
chan gc;
byte x;
active proctype S() { byte l; x == 0; atomic { l = 1; c!1; l = 0 } }
active proctype R() { byte l; l = 1; gc?_; c?_ }
active proctype Q() { c?_ }
