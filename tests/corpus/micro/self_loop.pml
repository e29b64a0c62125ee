/* expect: partial crash */
byte x; active proctype P(){ do :: skip od }
