/* Refused: empty() and its kin in an ltl formula. len() is accepted.
   expect: refused
*/
chan q = [2] of { byte };
active proctype P() { do :: q!1 :: q?1 od }
ltl p { []<> empty(q) }
