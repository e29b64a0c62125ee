/* A data transfer protocol with connection set-up, transfer and release.

   Two stations, each with a user on top. The calling user opens a connection,
   sends items, and disconnects; the called user may refuse, and may break the
   connection off at any moment, which the station answers with an `unless`: the
   whole transfer phase is left as soon as a disconnect request comes in. The
   stations talk over two queues whose contents may be stolen by a noisy line;
   set-up and release are repeated until they are confirmed.

   pv check examples/data_transfer.pml                             verified
   pv check examples/data_transfer.pml --sleep --cache 2000        verified with few states stored

   expect: verdict=verified stored=297492 matched=800154 transitions=1097646 atomic=1134164 depth=3449 errors=0
*/

#define ITEMS 3               /* different items, sent round and round */

mtype = { conn_req, conn_ind, conn_resp, conn_conf,       /* users and stations */
          data_req, data_ind, disc_req, disc_ind };
mtype:unit = { CR, CC, DT, AK, DR, DC };                  /* station to station */

chan line[2]    = [2] of { mtype:unit, bit, byte };       /* line[s] leads to station s */
chan to_user[2] = [1] of { mtype, byte };
chan request[2] = [1] of { mtype, byte };

/* One item at a time, with an alternating bit. */
proctype station(byte me; bool caller)
{
	bit mine, other, b;           /* bit of the item to send, of the item to come */
	bool busy;                    /* an item is not acknowledged yet */
	byte item, d;
	chan in = line[me];
	chan out = line[1 - me];

idle:	atomic { mine = 0; other = 0; busy = false; item = 0; b = 0; d = 0 };
end_idle:
	if
	:: caller && request[me]?[conn_req,_] ->
	   request[me]?conn_req,_;
	   out!CR,0,0;
	   do
	   :: in?CC,_,_ -> to_user[me]!conn_conf,0; break
	   :: in?DR,_,_ -> out!DC,0,0; to_user[me]!disc_ind,0; goto idle
	   :: in?DC,_,_
	   :: timeout -> out!CR,0,0
	   od
	:: !caller && empty(request[me]) && in?[CR,_,_] ->
	   in?CR,_,_;
	   to_user[me]!conn_ind,0;
	   if
	   :: request[me]?conn_resp,_ -> out!CC,0,0
	   :: request[me]?disc_req,_ -> goto release
	   fi
	:: in?DR,_,_ -> out!DC,0,0; goto idle
	:: in?DC,_,_ -> goto idle
	:: in?DT,_,_ -> goto idle
	:: in?AK,_,_ -> goto idle
	:: in?CC,_,_ -> goto idle
	/* too late, there is no connection any more */
	:: request[me]?disc_req,_ -> goto idle
	:: request[me]?data_req,_ -> goto idle
	:: request[me]?conn_resp,_ -> goto idle
	fi;

	/* the transfer phase */
	{
end_transfer:	do
		:: !busy && request[me]?[data_req,_] ->
		   request[me]?data_req,item;
		   busy = true;
		   out!DT,mine,item
		:: in?DT,b,d ->
		   if
		   :: b == other -> to_user[me]!data_ind,d; other = 1 - other
		   :: else
		   fi;
		   out!AK,b,0
		:: in?AK,b,_ ->
		   if
		   :: busy && b == mine -> busy = false; mine = 1 - mine
		   :: else
		   fi
		:: in?CR,_,_ -> out!CC,0,0            /* ours was lost */
		:: in?CC,_,_
		:: in?DC,_,_
		:: timeout && busy -> out!DT,mine,item
		od
	} unless {
		if
		:: request[me]?disc_req,_ -> goto release
		:: in?DR,_,_ -> out!DC,0,0; to_user[me]!disc_ind,0; goto idle
		fi
	};

release:
	out!DR,0,0;
	do
	:: in?DC,_,_ -> break
	:: in?DR,_,_ -> out!DC,0,0; break             /* both at once */
	:: in?CR,_,_
	:: in?CC,_,_
	:: in?DT,_,_
	:: in?AK,_,_
	:: timeout -> out!DR,0,0
	od;
	to_user[me]!disc_ind,0;
	goto idle
}

/* A user that has asked to disconnect waits until its station says so. */
proctype calling_user(byte me)
{
	byte i;

end:	do
	:: request[me]!conn_req,0 ->
	   if
	   :: to_user[me]?disc_ind,_
	   :: to_user[me]?conn_conf,_ ->
		do
		:: request[me]!data_req,i -> i = (i + 1) % ITEMS
		:: request[me]!disc_req,0 -> to_user[me]?disc_ind,_; break
		:: to_user[me]?disc_ind,_ -> break
		od;
		i = 0
	   fi
	od
}

proctype called_user(byte me)
{
	byte i, d;

end:	do
	:: to_user[me]?conn_ind,_ ->
	   if
	   :: request[me]!disc_req,0 -> goto hang_up
	   :: request[me]!conn_resp,0
	   fi;
end_open:  do
	   :: to_user[me]?data_ind,d ->
	      assert(d == i);
	      i = (i + 1) % ITEMS
	   :: to_user[me]?disc_ind,_ -> break
	   :: request[me]!disc_req,0 -> goto hang_up
	   od;
closed:	   i = 0; d = 0
	od;
hang_up:
	do
	:: to_user[me]?data_ind,_
	:: to_user[me]?disc_ind,_ -> goto closed
	od
}

proctype noise()
{
end:	do
	:: line[0]?_,_,_ -> skip
	:: line[1]?_,_,_ -> skip
	od
}

init {
	atomic {
		run noise();
		run station(0, true);
		run station(1, false);
		run calling_user(0);
		run called_user(1)
	}
}
