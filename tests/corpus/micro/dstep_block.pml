/* expect: partial block in d_step seq */
byte x,y; active proctype P(){ d_step{ x=1; (y==1); x=2 } }
active proctype Q(){ y=1 }
