/* To poll a rendezvous channel is an error at run time, and the poll is false.

   expect: verdict=violated stored=3 matched=1 transitions=4 atomic=0 depth=2 errors=2
*/
chan q = [0] of { byte };
byte x;
active proctype P() { if :: q?[1] -> x = 2 :: x = 1 :: x = !(q?[1]) fi }
