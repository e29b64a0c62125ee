typedef T { byte x }
init { byte T; T = 3 }
