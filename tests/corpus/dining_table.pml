/* Two philosophers with a lock order and one without: deadlock in one state only.
   expect: verdict=violated stored=23 matched=6 transitions=29 atomic=12 depth=14 errors=1
*/
bool f[2];
active proctype A() { atomic { !f[0] -> f[0] = true }; atomic { !f[1] -> f[1] = true }; f[0] = false; f[1] = false }
active proctype B() { atomic { !f[1] -> f[1] = true }; atomic { !f[0] -> f[0] = true }; f[1] = false; f[0] = false }
