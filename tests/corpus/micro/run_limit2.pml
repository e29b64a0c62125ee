/* expect: partial VECTORSZ too small */
proctype A(){ (false) } init{ int n; do :: n<256 -> run A(); n++ :: else -> break od }
