/* Readers and writers behind a monitor process, by rendezvous.

   Three readers and two writers ask the monitor over synchronous channels. The
   monitor lets readers in together and writers alone, and a waiting writer keeps
   new readers out. Each client hands the channel of its own on which it wants
   the grant, so the monitor never needs to know who is who.

   pv check examples/readers_writers.pml                           verified

   expect: verdict=verified stored=37462 matched=84561 transitions=122023 atomic=0 depth=2803 errors=0
*/

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

mtype = { read, write };

chan ask     = [0] of { mtype, chan };
chan release = [0] of { mtype };
chan nobody  = [0] of { bit };

byte reading, writing;        /* ghosts, set by the clients themselves */

active proctype monitor()
{
	byte readers, writers;
	chan waiting = [WRITERS] of { chan };
	chan client, writer;

end:	do
	:: empty(waiting) ->
	   if
	   :: ask?read(client) ->
		if
		:: writers == 0 -> readers++; client!1
		:: else -> client!0                   /* try again later */
		fi
	   :: ask?write(client) -> waiting!client
	   :: release?read -> readers--
	   :: release?write -> writers--
	   fi;
	   client = nobody
	:: nempty(waiting) ->
	   if
	   :: readers + writers == 0 ->
		waiting?writer;
		writers++;
		writer!1;
		writer = nobody
	   :: readers + writers > 0 ->
		if
		:: release?read -> readers--
		:: release?write -> writers--
		:: ask?read(client) -> client!0
		:: ask?write(client) -> waiting!client
		fi;
		client = nobody
	   fi
	od
}

active [READERS] proctype reader()
{
	chan grant = [0] of { bit };
	bit ok;

end:	do
	:: ask!read(grant);
	   grant?ok;
	   if
	   :: ok ->
		reading++;
		assert(writing == 0);
		reading--;
		release!read;
		ok = 0
	   :: else
	   fi
	od
}

active [WRITERS] proctype writer()
{
	chan grant = [0] of { bit };

end:	do
	:: ask!write(grant);
	   grant?1;
	   writing++;
	   assert(writing == 1 && reading == 0);
	   writing--;
	   release!write
	od
}
