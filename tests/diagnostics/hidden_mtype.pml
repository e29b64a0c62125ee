hidden mtype = { red };
init { skip }
