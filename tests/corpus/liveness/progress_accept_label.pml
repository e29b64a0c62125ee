/* An accept label of a process is nothing to the search for cycles without progress: every round passes the progress label.

   expect-liveness: property=- mode=non-progress fair=0 violated=0
   expect-liveness: property=- mode=non-progress fair=1 violated=0
*/
active proctype P()
{
	byte b;
	do
	:: b = 1;
accept:		b = 2;
progress:	b = 0
	od
}
