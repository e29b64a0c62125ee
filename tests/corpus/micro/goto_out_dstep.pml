/* expect: refused */
byte x; active proctype P(){ d_step{ x=1; goto L; x=2 }; x=4; L: x=5 }
