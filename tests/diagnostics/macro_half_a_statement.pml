byte x;
#define SET(v) v = 1; v = v +
active proctype P() {
  SET(x);
  skip
}
