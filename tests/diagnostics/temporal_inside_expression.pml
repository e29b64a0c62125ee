bool a, b;
ltl p { [] a == b }
ltl q { a + (<> b) }
init { skip }
