/* expect: partial crash */
byte x=7,y; active proctype P(){ x=x/y; x=2 }
