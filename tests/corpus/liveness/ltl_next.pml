/* The next operator. Debian's spin is built without it and refuses the model, so there is nothing to compare with
   (SPIN errs here, for the script that measures); after one step x is 1 in every run.
   expect-liveness: property=n1 mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: x = 1; x = 2; x = 0 od }
ltl n1 { X (x == 1) }
