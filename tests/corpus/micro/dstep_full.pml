/* expect: partial block in d_step seq */
chan q=[1] of {byte}; byte x; active proctype P(){ d_step{ q!1; q!2; x=2 } }
