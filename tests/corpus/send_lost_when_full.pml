/* What `spin -m` does to every send, said in the model: a message that finds its channel full is lost. With q!1; q!2; q!3 alone and `spin -m -a`
   the counts are the same.
   expect: verdict=verified stored=26 matched=4 transitions=30 atomic=0 depth=9 errors=0
*/
chan q = [1] of { byte };
byte got;
active proctype S() { if :: q!1 :: full(q) fi; if :: q!2 :: full(q) fi; if :: q!3 :: full(q) fi }
active proctype R() { byte x; end: do :: q?x -> got = got + x od }
