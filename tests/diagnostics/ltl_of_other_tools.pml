bool p, q;
ltl a { G (p -> F q) }
ltl b { p R q }
ltl c { [] p & <> q }
ltl d { [] (p => q) }
ltl e { AG p }
ltl f { E<> p }
ltl g { p ~> q }
ltl h { [] ~p }
ltl i { historically p }
ltl j { not p }
init { p = true }
