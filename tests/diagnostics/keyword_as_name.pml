byte len;
init { byte active; skip }
