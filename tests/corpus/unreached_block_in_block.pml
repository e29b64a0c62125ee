/* A block that begins with a block: no state of its own is left over.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=1 depth=4 errors=0
*/
bool m;
inline lock() { atomic { !m -> m = true } }
active proctype p() { lock(); m = false }
