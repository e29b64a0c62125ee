init { reset(3) }
