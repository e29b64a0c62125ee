/* len of a channel that was never made: pan reads memory in front of a table. SPIN errs here: docs/spin-differences.md
   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=2
*/
chan q; active proctype P(){ printf("%d\n", len(q)); if :: empty(q) -> skip :: else fi }
