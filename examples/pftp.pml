/* A file transfer protocol in layers, over a line that loses frames.

     client  -- opens a session, sends a file record by record, or gives up halfway
     server  -- accepts or refuses, receives, confirms the end of the file
     flow    -- one on each side: numbers the messages of its session, keeps a
                window of them, repeats after a time-out, delivers in order
     link    -- two queues of size 2; each frame may get lost as it is sent

   The sessions see a channel that neither loses nor reorders; their assertions
   check exactly that. This stands for PFTP of the state-space caching paper
   (409,257 states there); the model is our own.

   pv check examples/pftp.pml                                      verified
   pv check examples/pftp.pml -D LOSS=0                            a perfect line, far fewer states
   pv check examples/pftp.pml --sleep --cache 100k                 verified with a fifth of the states stored
   pv check examples/pftp.pml --sleep --cache 100k --replace type  the same, another choice of what to forget

   expect: verdict=verified stored=506116 matched=879058 transitions=1385174 atomic=33645 depth=13534 errors=0
*/

#ifndef LOSS
#define LOSS 1
#endif
#define QSZ     2             /* frames on the line, each way */
#define W       2             /* window */
#define M       3             /* sequence numbers */
#define RECORDS 2             /* in a file */

mtype = { connect, accept, refuse, record, eof, complete, abort };    /* between sessions */
mtype:frame = { message, acknowledge };                               /* between flow layers */

#define CLIENT 0
#define SERVER 1

chan to_flow[2]   = [1] of { mtype, byte };
chan from_flow[2] = [1] of { mtype, byte };
chan line[2]      = [QSZ] of { mtype:frame, byte, mtype, byte };       /* line[s] leads to side s */

inline put(to, sort, seq, kind, arg)
{
	if
	:: line[to]!sort,seq,kind,arg
#if LOSS
	:: skip
#endif
	fi
}

proctype flow(byte side)
{
	mtype kind[M];                /* messages that are not acknowledged, by number */
	byte arg[M];
	byte base, count;             /* the oldest of them, how many there are */
	byte want;                    /* number of the next message from the other side */
	byte n, a;
	mtype k;

end:	do
	:: count < W && nempty(to_flow[side]) ->
	   n = (base + count) % M;
	   to_flow[side]?kind[n],arg[n];
	   count++;
	   put(1 - side, message, n, kind[n], arg[n]);
	   n = 0
	:: line[side]?message,n,k,a ->
	   if
	   :: n == want ->
		from_flow[side]!k,a;
		want = (want + 1) % M
	   :: else
	   fi;
	   put(1 - side, acknowledge, want, 0, 0);
	   d_step { n = 0; k = 0; a = 0 }
	:: line[side]?acknowledge,n,_,_ ->
	   /* the other side has everything before n */
	   d_step {
		a = (n + M - base) % M;
		do
		:: a > 0 && a <= count ->
			kind[base] = 0; arg[base] = 0;
			base = (base + 1) % M;
			count--; a--
		:: else -> break
		od;
		a = 0; n = 0
	   }
	:: timeout && count > 0 ->            /* repeat the oldest; the next one will follow */
	   put(1 - side, message, base, kind[base], arg[base])
	od
}

proctype client()
{
	byte i;

end:	do
	:: to_flow[CLIENT]!connect,0 ->
	   if
	   :: from_flow[CLIENT]?refuse,_
	   :: from_flow[CLIENT]?accept,_ ->
		for (i : 1 .. RECORDS) {
			if
			:: to_flow[CLIENT]!record,i
			:: to_flow[CLIENT]!abort,0 -> goto given_up       /* the user has changed his mind */
			fi
		}
		to_flow[CLIENT]!eof,0;
		from_flow[CLIENT]?complete,i;
		assert(i == RECORDS);
given_up:	i = 0
	   fi
	od
}

proctype server()
{
	byte got, i;

end:	do
	:: from_flow[SERVER]?connect,_ ->
	   if
	   :: to_flow[SERVER]!refuse,0
	   :: to_flow[SERVER]!accept,0 ->
		do
		:: from_flow[SERVER]?record,i ->
			got++;
			assert(i == got)
		:: from_flow[SERVER]?eof,_ ->
			assert(got == RECORDS);
			to_flow[SERVER]!complete,got;
			break
		:: from_flow[SERVER]?abort,_ -> break
		od;
		atomic { got = 0; i = 0 }
	   fi
	od
}

init {
	atomic {
		run flow(CLIENT);
		run flow(SERVER);
		run client();
		run server()
	}
}
