c_decl { typedef struct Coord { int x, y; } Coord; }
c_state "Coord pt" "Global"
byte x;
init {
    c_code { now.pt.x = 0; };
    c_expr { now.pt.x < 3 } -> x = 1
}
