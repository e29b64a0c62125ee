chan q = [2] of { byte };
init {
    if
    :: !full(q) -> q!1
    :: len(q) == 2 && empty(q) == 1
    fi
}
