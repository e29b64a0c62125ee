/* gcc-flags: -DVECTORSZ=8192
   expect: partial too many processes */
byte ok; proctype A(){ end: (false) } init{ int n; do :: n<300 -> if :: run A() -> n++ :: else -> break fi :: else -> break od; ok=1; end: (false) }
