/* expect: verdict=verified stored=15 matched=10 transitions=25 atomic=0 depth=6 errors=0 */
active proctype A(){ printf("A %d\n",_pid) } init { printf("init %d\n",_pid) } active proctype B(){ printf("B %d\n",_pid) }
