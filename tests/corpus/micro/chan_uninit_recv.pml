/* expect: partial ref to uninitialized chan name (len) */
chan q; byte x; active proctype P(){ q?x }
