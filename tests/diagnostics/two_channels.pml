chan q = [2] of { byte }, r = [1] of { byte };
init { q!1 }
