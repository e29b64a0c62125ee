active sender() { skip }
