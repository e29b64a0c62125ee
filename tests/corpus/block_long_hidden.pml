/* States of a long block that differ in a hidden variable only.
   expect: verdict=violated stored=4 matched=0 transitions=4 atomic=5203 depth=5206 errors=1
*/
hidden int i;
active proctype P() {
  atomic { i = 0; do :: i < 2600 -> i++ :: else -> break od };
  assert(false)
}
