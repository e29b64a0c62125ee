/* `local` globals are ordinary to the full search.
   expect: verdict=verified stored=37 matched=20 transitions=57 atomic=0 depth=11 errors=0
*/
local byte a;
local byte b = 3;
active proctype P() { do :: a < b -> a++ :: else -> break od }
active proctype Q() { b--; b++ }
