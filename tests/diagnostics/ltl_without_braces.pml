bool a;
ltl p [] a
init { skip }
