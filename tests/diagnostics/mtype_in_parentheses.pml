mtype = ( red, green );
init { skip }
