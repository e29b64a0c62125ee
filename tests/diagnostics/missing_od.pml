byte x;
active proctype P() {
    do
    :: if
       :: x == 1 -> break
       :: else -> x++
    od
}
