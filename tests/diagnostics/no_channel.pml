chan q;
active proctype p() { q!1 }
active proctype r() { byte x; q?x }
