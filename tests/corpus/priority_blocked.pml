/* A blocked process of high priority lets the lower ones run.
   expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=10 errors=0
*/
chan q = [1] of { byte };
byte order;
active proctype Hi() priority 10 { byte v; q?v; order = order * 2 + v; q?v }
active proctype Lo() priority 1 { q!1; order = order + 1; q!0 }
active proctype Mid() priority 5 { order = order + 3 }
