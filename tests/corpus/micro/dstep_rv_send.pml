/* expect: partial rv-attempt in d_step */
chan q=[0] of {byte}; byte x; active proctype P(){ d_step{ q!1; x=2 } } active proctype Q(){ byte y; q?y }
