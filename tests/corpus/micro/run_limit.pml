/* expect: partial VECTORSZ too small */
proctype A(){ (false) } init{ byte n; do :: n<254 -> run A(); n++ :: else -> break od }
