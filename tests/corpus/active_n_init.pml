/* active [N] before and after init: pids in the order of the text.
   expect: verdict=verified stored=91 matched=158 transitions=249 atomic=0 depth=11 errors=0
*/
byte who;
active [2] proctype A() { assert(_pid < 2) }
init { assert(_pid == 2); who = _pid }
active [2] proctype B() { assert(_pid > 2) }
