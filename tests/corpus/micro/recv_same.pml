/* expect: refused */
chan q=[4] of {byte,byte}; byte x; active proctype P(){ q!3,4; q?x,x; printf("%d\n",x) }
