proctype P { skip }
init { skip }
