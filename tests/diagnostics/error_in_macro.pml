#define INC(v) v = v + + 1 )
byte x;
init {
    INC(x);
    x = 2
}
