proctype P(byte a = 2) { a = 1 }
init { run P(1) }
