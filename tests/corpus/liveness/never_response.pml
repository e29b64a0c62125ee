/* A never claim written by hand: x == 2 is not always followed by x == 0.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
   expect-liveness: property=- mode=acceptance fair=1 violated=1
*/
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> if :: x = 0 :: x = 1 fi od }
never {
T0:	do
	:: x == 2 -> goto accept_S
	:: true
	od;
accept_S:
	do
	:: x != 0
	od
}
