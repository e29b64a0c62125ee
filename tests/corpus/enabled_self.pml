/* SPIN gives up: enabled() of the process that asks.
   expect: partial used: enabled(pid=thisproc)
*/
byte n;
active proctype B() { n = 1; n = enabled(0) }
