active proctype P() priority 0 { skip }
active proctype Q() priority 300 { skip }
