/* expect: verdict=verified stored=19 matched=0 transitions=19 atomic=0 depth=18 errors=0 */
typedef M { byte a; byte b }; chan q=[3] of {M}; M m; byte s; active proctype P(){ m.a=1; m.b=2; q!m; m.a=3; q!m; for (m in q) { s=s+m.a } }
