/* A loop that does nothing for ever: spin accepts it and pan then refuses to run; pv refuses it with a place.
   SPIN errs here: its verifier is made but cannot be used.
   expect: refused
*/
byte x; active proctype P(){ do :: true :: x=1 od }
