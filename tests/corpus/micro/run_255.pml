/* gcc-flags: -DVECTORSZ=8192
   expect: partial too many processes */
proctype A(){ (false) } init{ int n; do :: n<255 -> run A(); n++ :: else -> break od; end: (false) }
