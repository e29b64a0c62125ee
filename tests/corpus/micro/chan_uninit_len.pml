/* expect: verdict=violated stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=2 */
chan q; active proctype P(){ printf("%d\n", len(q)); if :: empty(q) -> skip :: else fi }
