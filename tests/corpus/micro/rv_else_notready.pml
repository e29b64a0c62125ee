/* expect: verdict=violated stored=9 matched=1 transitions=10 atomic=0 depth=5 errors=1 */
chan q=[0] of {byte}; byte x; active proctype P(){ if :: q!1 :: else -> skip fi } active proctype Q(){ byte y; x=1; q?y }
