/* Births and deaths that nobody sees: the older process has come to its end in any case.

   expect: verdict=verified stored=6 matched=1 transitions=7 atomic=0 depth=3 errors=0
*/
chan q = [1] of { bit };
proctype R() { end: false; q!1 }
active proctype P() { run R() }
active proctype Q() { q!1 }
