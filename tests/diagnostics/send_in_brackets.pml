chan q = [1] of { byte };
init { byte b; q!<b> }
