/* expect: verdict=verified stored=6 matched=2 transitions=8 atomic=0 depth=3 errors=0 */
chan q=[0] of {byte}; active proctype P(){ if :: full(q) -> printf("full\n") :: empty(q) -> printf("empty\n") :: nfull(q) -> printf("nfull\n") :: nempty(q) -> printf("nempty\n") :: len(q)==0 -> printf("len0\n") fi }
