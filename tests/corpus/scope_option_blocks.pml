/* With braces each option has a scope of its own.
   expect: verdict=verified stored=21 matched=0 transitions=21 atomic=0 depth=20 errors=0
*/
byte s;
active proctype P() { byte i; do :: i < 3 -> { byte k; k++; s = s + k; i++ } :: i == 3 -> { byte k = 7; s = s + k; break } od; assert(s == 10) }
