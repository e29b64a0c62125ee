byte x, y;
active proctype P() {
    x = ;
    y = 1;
    goto ;
    if
    :: x == -> y = 2
    :: y = 3 3
    fi;
    x = 4
}
active proctype Q() {
    run ;
    x = 5
}
