/* The second sender breaks the claim after a step that nobody depends on.

   expect: verdict=violated stored=5 matched=1 transitions=6 atomic=0 depth=2 errors=1
*/
chan t = [1] of { byte };

active proctype Breaker() { skip; t!2 }
active proctype Claimant() { xs t; end: do :: t!1 od }
