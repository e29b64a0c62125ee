chan q = [2] of { byte };
ltl room { [] (len(q) < 2) }
ltl never_full { [] !full(q) }
ltl drained { <> empty(q) }
init { q!1 }
