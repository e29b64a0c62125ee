proctype W() {
l:  skip
}
init { run W() }
ltl { <> (W@l) }
