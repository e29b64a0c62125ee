/* expect: partial crash */
byte x; active proctype P(){ do :: true :: x=1 od }
