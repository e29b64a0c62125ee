/* Two atomic loops that give way by blocking on a channel.
   expect: verdict=verified stored=14 matched=1 transitions=15 atomic=41 depth=37 errors=0
*/
chan q = [1] of { byte };
byte s;
active proctype P() { byte i; atomic { do :: i < 4 -> q!i; i++ :: i == 4 -> break od } }
active proctype Q() { byte v, i; atomic { do :: i < 4 -> q?v; s = s + v; i++ :: i == 4 -> break od }; assert(s == 6) }
