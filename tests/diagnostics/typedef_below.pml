active proctype P() {
  T t;
  t.a = 1
}
typedef T { byte a }
