byte x;
proctpye P() {
    x = 1
}
init { x = 2 }
