/* expect: verdict=violated stored=23 matched=6 transitions=29 atomic=0 depth=8 errors=1 */
chan q=[0] of {byte}; byte x; active proctype P(){ { q!1; x=2 } unless { x==1 -> x=9 } } active proctype Q(){ byte z; q?z } active proctype R(){ x=1 }
