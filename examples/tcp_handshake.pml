/* Opening and closing a connection as TCP does it.

   A client opens actively, a server passively; segments may be lost, and both
   sides repeat what was not acknowledged when nothing else happens. Each side
   keeps its control block in a typedef and counts its own numbers (modulo 4, where
   TCP has 2^32). The client then closes and the server follows. Assertions: an
   established side knows the other one's number, and nobody is left half open.

   pv check examples/tcp_handshake.pml                             verified

   expect: verdict=verified stored=4988 matched=3957 transitions=8945 atomic=24 depth=105 errors=0
*/

#ifndef TRIES
#define TRIES 2
#endif

#define SYN 1
#define ACK 2
#define FIN 4

mtype = { Closed, Listen, SynSent, SynReceived, Established,
          FinWait1, FinWait2, TimeWait, CloseWait, LastAck };

typedef Segment { byte flags; byte seq; byte ack };

typedef Control {
	mtype state = Closed;
	unsigned next : 2;            /* next number to send */
	unsigned want : 2;            /* next number expected */
	byte tries
};

chan to_server = [2] of { Segment };
chan to_client = [2] of { Segment };

Control client, server;

inline emit(me, out, bits, number, answer)
{
	d_step { s.flags = bits; s.seq = number; s.ack = answer };
	if
	:: out!s
	:: me.tries > 0 -> me.tries--         /* lost; bounded, or it could go on for ever */
	fi;
	d_step { s.flags = 0; s.seq = 0; s.ack = 0 }
}

/* numbers modulo 4 */
#define plus1(x) (((x) + 1) & 3)
#define less1(x) (((x) + 3) & 3)

active proctype Client()
{
	Segment s, r;

	atomic { client.tries = TRIES; client.next = 1; client.state = SynSent };
	emit(client, to_server, SYN, client.next, 0);
	client.next = plus1(client.next);

	do
	:: to_client?r ->
	   if
	   :: client.state == SynSent && r.flags == (SYN | ACK) && r.ack == client.next ->
		client.want = plus1(r.seq);
		emit(client, to_server, ACK, client.next, client.want);
		client.state = Established
	   :: client.state != SynSent && r.flags == (SYN | ACK) ->
		emit(client, to_server, ACK, client.next, client.want)      /* ours was lost */
	   :: client.state == FinWait1 && r.flags == ACK && r.ack == client.next ->
		client.state = FinWait2
	   :: (client.state == FinWait1 || client.state == FinWait2) && r.flags == (FIN | ACK) && r.seq == client.want ->
		client.want = plus1(client.want);
		emit(client, to_server, ACK, client.next, client.want);
		client.state = TimeWait
	   :: client.state == TimeWait && r.flags == (FIN | ACK) ->
		emit(client, to_server, ACK, client.next, client.want)
	   :: else                            /* old or unexpected */
	   fi;
	   d_step { r.flags = 0; r.seq = 0; r.ack = 0 }
	:: client.state == Established ->
	   assert(client.want == plus1(2));   /* the server began with 2 */
	   emit(client, to_server, FIN | ACK, client.next, client.want);
	   client.next = plus1(client.next);
	   client.state = FinWait1
	:: timeout && client.state == SynSent ->
	   emit(client, to_server, SYN, less1(client.next), 0)
	:: timeout && client.state == FinWait1 ->
	   emit(client, to_server, FIN | ACK, less1(client.next), client.want)
	:: timeout && client.state == TimeWait && server.state == Closed ->
	   client.state = Closed;
	   break
	od
}

active proctype Server()
{
	Segment s, r;

	atomic { server.tries = TRIES; server.next = 2; server.state = Listen };

	do
	:: to_server?r ->
	   if
	   :: server.state == Listen && r.flags == SYN ->
		server.want = plus1(r.seq);
		emit(server, to_client, SYN | ACK, server.next, server.want);
		server.next = plus1(server.next);
		server.state = SynReceived
	   :: server.state == SynReceived && r.flags == SYN ->
		emit(server, to_client, SYN | ACK, less1(server.next), server.want)
	   :: server.state == SynReceived && (r.flags & ACK) && r.ack == server.next ->
		server.state = Established;
		assert(server.want == plus1(1));      /* the client began with 1 */
		if
		:: (r.flags & FIN) && r.seq == server.want -> server.state = CloseWait
		:: else
		fi
	   :: server.state == Established && r.flags == (FIN | ACK) && r.seq == server.want ->
		server.state = CloseWait
	   :: server.state == LastAck && r.flags == ACK && r.ack == server.next ->
		server.state = Closed; break
	   :: server.state == LastAck && r.flags == (FIN | ACK) ->
		emit(server, to_client, FIN | ACK, less1(server.next), server.want)
	   :: else
	   fi;
	   d_step { r.flags = 0; r.seq = 0; r.ack = 0 }
	:: server.state == CloseWait ->
	   server.want = plus1(server.want);
	   emit(server, to_client, ACK, server.next, server.want);
	   emit(server, to_client, FIN | ACK, server.next, server.want);
	   server.next = plus1(server.next);
	   server.state = LastAck
	:: timeout && server.state == SynReceived ->
	   emit(server, to_client, SYN | ACK, less1(server.next), server.want)
	:: timeout && server.state == LastAck ->
	   emit(server, to_client, FIN | ACK, less1(server.next), server.want)
	od
}
