byte x;
active proctype P() { here: x = 1 }
active proctype Q() { d_step { x = 2; x = P@here } }
