/* Sends and receives of buffered channels in a d_step.
   expect: verdict=violated stored=19 matched=4 transitions=23 atomic=0 depth=7 errors=1
*/
chan q = [3] of { byte };
byte s;
active proctype P() { byte v; d_step { q!1; q!2; q!3 }; d_step { q?v; s = v; q?v; s = s + v }; q?v }
active proctype Q() { byte v; q?v -> q!v }
