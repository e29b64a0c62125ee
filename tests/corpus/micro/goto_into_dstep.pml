/* expect: refused */
byte x; active proctype P(){ goto L; d_step{ x=1; L: x=2 }; x=4 }
