/* expect: verdict=violated stored=30 matched=14 transitions=44 atomic=0 depth=11 errors=1 */
byte x; active proctype P(){ x=1; L: do :: x<3 -> x++ :: else -> break od; M: x=2 } active proctype Q(){ P@L -> skip }
