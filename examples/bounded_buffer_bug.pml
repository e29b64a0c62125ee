/* Producers and consumers around a bounded buffer, with a planted bug.

   The buffer is an array with two indices and a count, guarded by a lock. The bug:
   a consumer looks at the count before it takes the lock and does not look again
   afterwards. Two consumers can both see the last item; the second one finds an
   empty slot, and the assertion tells.

   pv check examples/bounded_buffer_bug.pml                        violated: assertion
   pv check examples/bounded_buffer_bug.pml -D FIXED               verified

   expect: verdict=violated stored=144880 matched=149421 transitions=294301 atomic=31188 depth=46215 errors=12320
*/

#define SIZE 2
#define EMPTY 0

byte buffer[SIZE];
byte head, tail, count;
bool locked;

inline lock()   { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

active [2] proctype producer()
{
	do
	:: count < SIZE ->
	   lock();
	   if
	   :: count < SIZE ->
		assert(buffer[head] == EMPTY);
		buffer[head] = _pid + 1;
		head = (head + 1) % SIZE;
		count++
	   :: else
	   fi;
	   unlock()
	od
}

active [2] proctype consumer()
{
	byte item;

	do
	:: count > 0 ->
	   lock();
#ifdef FIXED
	   if
	   :: count == 0 -> unlock(); goto again
	   :: else
	   fi;
#endif
	   item = buffer[tail];
	   assert(item != EMPTY);
	   buffer[tail] = EMPTY;
	   tail = (tail + 1) % SIZE;
	   count--;
	   item = EMPTY;
	   unlock();
again:	   skip
	od
}
