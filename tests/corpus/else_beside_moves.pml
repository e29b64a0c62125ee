/* A process that can go on is tried before one whose `else` is interpreted: what the first can do says nothing of the `else`.

   expect: verdict=violated stored=180 matched=211 transitions=391 atomic=0 depth=169 errors=6
*/
byte x, y, z;

active proctype guarded() {
    {
        do
        :: x < 3 -> x++
        :: else -> x = 0; z = (z + 1) % 3; assert(z != 2)
        od
    } unless {
        y == 255
    }
}

active proctype mover() {
    do
    :: y = (y + 1) % 5
    :: y == 3 -> y = 1
    od
}
