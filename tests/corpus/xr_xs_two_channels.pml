/* xr and xs on several channels in one declaration.
   expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0
*/
chan a = [1] of { bit };
chan b = [1] of { bit };
active proctype P() { xs a; xr b; a!1; b?1; a!0 }
active proctype Q() { xs b; xr a; a?1; b!1; a?0 }
