/* As receive_too_many_fields_taken, hand to hand.
   expect: verdict=violated stored=4 matched=0 transitions=4 atomic=0 depth=4 errors=1
*/
chan q = [0] of { byte };
active proctype P() { q?_,_ }
active proctype Q() { q!3 }
