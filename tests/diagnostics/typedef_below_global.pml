T t;
typedef T { byte a }
active proctype P() { t.a = 1 }
