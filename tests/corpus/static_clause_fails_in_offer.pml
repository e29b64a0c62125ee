/* A clause that cannot be evaluated is looked at while an offer stands: the path ends in the middle of the rendezvous, before the silent
   step behind the offer.

   expect: verdict=violated stored=1 matched=0 transitions=1 atomic=0 depth=1 errors=3
*/
byte z = 2, a[2];
chan c = [0] of { byte };
active proctype A0() provided (a[z] == 0) { false }
active proctype A2() { byte l; c!1; l = 1; false }
