/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=4 errors=0 */
chan q=[0] of {byte}; active proctype P(){ if :: q!1 :: else -> skip fi } active proctype Q(){ byte y; q?y }
