/* A receive with more fields than the channel has takes the message, fails and goes on; the field that is not there is 0.
   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1
*/
chan q = [1] of { byte };
byte x = 7;
active proctype P() { q!1; if :: q?2,x :: q?_,x fi; assert(x == 0) }
