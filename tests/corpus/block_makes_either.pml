/* A block that ends in two ways, with another process made in each. What sleeps behind the second end must be
   judged by the processes that are there.

   expect: verdict=violated stored=10 matched=4 transitions=14 atomic=6 depth=5 errors=1
*/
byte h;

proctype Reader() { byte x; x = 1; end: false }
proctype Judge() { assert(h == 0); end: false }

active proctype Writer() { h = 1; end: false }
active proctype Maker() { atomic { skip; if :: run Reader() :: run Judge() fi }; end: false }
