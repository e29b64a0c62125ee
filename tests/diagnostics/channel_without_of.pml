chan c = [1] { byte };
init { c!1 }
