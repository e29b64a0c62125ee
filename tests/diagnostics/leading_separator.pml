init { ; skip }
