/* expect: refused */
byte x; active proctype P(){ L: goto L }
