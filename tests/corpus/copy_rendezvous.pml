/* To look at the message of a rendezvous is an error: the offer that it meets is not taken.

   expect: verdict=violated stored=2 matched=0 transitions=2 atomic=0 depth=2 errors=3
*/
chan q = [0] of { byte };
byte x;
active proctype P() { if :: q?<x> :: x = 1 :: timeout fi }
active proctype Q() { q!1 }
