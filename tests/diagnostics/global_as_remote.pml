byte x;
active proctype P() { x = 1 }
ltl p { [] (P:x < 2) }
