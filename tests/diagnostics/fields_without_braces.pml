chan q = [2] of byte;
init { q!1 }
