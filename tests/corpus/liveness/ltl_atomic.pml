/* Inside atomic the claim does not move: the values between are not seen.
   expect-liveness: property=never_one mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: atomic { x = 1; x = 2; x = 0 } od }
ltl never_one { [] (x != 1) }
