/* The pattern of a trace looks into another process.

   expect: verdict=violated stored=13 matched=6 transitions=19 atomic=0 depth=6 errors=1
*/
chan q = [1] of { byte };

active proctype Changing() { byte x; x = 1; x = 0 }
active proctype Both() { q!0; q?0 }

trace { do :: q?eval(Changing[0]:x) od }
