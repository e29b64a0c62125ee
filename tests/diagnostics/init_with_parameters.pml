init() { skip }
