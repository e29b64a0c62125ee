/* expect: refused */
active proctype P(){ }
