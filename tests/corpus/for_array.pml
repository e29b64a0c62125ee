/* for (i in array): the indices.
   expect: verdict=verified stored=31 matched=0 transitions=31 atomic=0 depth=30 errors=0
*/
byte t[4], s;
active proctype P() { byte i; for (i in t) { t[i] = i * i } for (i in t) { s = s + t[i] } assert(s == 14) }
