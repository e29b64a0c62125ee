/* expect: refused */
chan q; active proctype P(){ q!1 }
