/* expect: refused */
byte x; active proctype P(){ x=1 } active proctype Q(){ x==1; (P[0]@L || true); skip; L: skip }
