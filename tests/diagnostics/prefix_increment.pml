byte x;
init { ++x }
