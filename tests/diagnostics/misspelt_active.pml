activ proctype P() { skip }
