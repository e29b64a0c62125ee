/* ?? blocks while nothing matches, though the queue is full.
   expect: verdict=violated stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=1
*/
chan q = [2] of { byte };
active proctype P() { q??3; q?1; q??2 }
active proctype Q() { q!1; q!2; q!3 }
