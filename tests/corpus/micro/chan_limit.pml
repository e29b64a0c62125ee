/* gcc-flags: -DVECTORSZ=8192
   expect: verdict=violated stored=761 matched=0 transitions=761 atomic=0 depth=760 errors=1 */
proctype A(){ chan c=[1] of {byte}; (false) } init{ int n; do :: n<253 -> run A(); n++ :: else -> break od; end: (false) }
