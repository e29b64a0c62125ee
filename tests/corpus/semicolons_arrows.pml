/* Separators: ; and -> are the same, doubled and trailing ones are allowed.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
byte x;
active proctype P() { x = 1 -> x = 2; ; x = 3;; if :: x == 3 ; x = 4; :: else -> skip; fi; }
