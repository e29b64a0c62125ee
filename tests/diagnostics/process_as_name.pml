proctype P() { skip }
init { byte P; P = 3 }
