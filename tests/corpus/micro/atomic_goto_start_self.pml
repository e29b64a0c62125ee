/* expect: refused */
byte x; active proctype P(){ atomic{ L: if :: x<3 -> x++; goto L :: else fi; x=9 }; x=10 }
