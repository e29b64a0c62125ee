/* Only the chosen branch of (a -> b : c) is evaluated.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
byte z, t[2] = 1;
active proctype P() { byte i = 5; z = (i < 2 -> t[i] : 42); assert(z == 42); z = (z -> 10 / z : 1 / 0 * 0) }
