/* The Needham-Schroeder public key protocol, and the man in the middle.

     A -> B : { Na, A }Kb
     B -> A : { Na, Nb }Ka
     A -> B : { Nb }Kb

   The network is the intruder: it takes every message, opens those under its own
   key, learns the nonces, and sends on what it has seen or can build. The bug is
   in the protocol, it stood in the literature for 17 years before Lowe found it:
   A talks to the intruder, who passes her first message on to B as if she had
   called him. B believes he shares a secret with A; the intruder knows it.
   Everybody may wait for ever, so the places where they wait carry end labels.
   With -D LOWE the second message names B, and the attack is gone.

   pv check examples/needham_schroeder_bug.pml                     violated: assertion
   pv check examples/needham_schroeder_bug.pml -D LOWE             verified

   expect: verdict=violated stored=8008 matched=5445 transitions=13453 atomic=13392 depth=42 errors=40
*/

mtype = { Alice, Bob, Intruder,               /* parties, and keys of the same name */
          Na, Nb, Ni,                         /* nonces */
          none };

/* key, and up to three parts */
chan net  = [0] of { mtype, mtype, mtype, mtype };
chan in_a = [0] of { mtype, mtype, mtype, mtype };
chan in_b = [0] of { mtype, mtype, mtype, mtype };

mtype a_partner = none, b_partner = none;
bool a_done, b_done; /* pv: allow(never-read) */
bool knows_na, knows_nb;

active proctype A()
{
	mtype nonce, name;

	if
	:: a_partner = Bob
	:: a_partner = Intruder
	fi;
end_1:	net!a_partner,Na,Alice,none;
end_2:	in_a?Alice,Na,nonce,name;
#ifdef LOWE
end_3:	(name == a_partner);
#endif
end_4:	net!a_partner,nonce,none,none;
	a_done = true
}

active proctype B()
{
	mtype nonce;

end_1:	in_b?Bob,nonce,b_partner,none;
#ifdef LOWE
end_2:	net!b_partner,nonce,Nb,Bob;
#else
end_2:	net!b_partner,nonce,Nb,none;
#endif
end_3:	in_b?Bob,Nb,none,none;
	b_done = true;
	/* B believes that only b_partner and he know Nb */
	assert(b_partner != Alice || !knows_nb)
}

inline learn(n)
{
	if
	:: n == Na -> knows_na = true
	:: n == Nb -> knows_nb = true
	:: else
	fi
}

/* a nonce that the intruder knows */
inline pick(n)
{
	if
	:: n = Ni
	:: knows_na -> n = Na
	:: knows_nb -> n = Nb
	fi
}

active proctype I()
{
	mtype key, p, q, r;           /* the message taken last */
	mtype x, y;

end:	do
	:: net?key,p,q,r ->
	   d_step {
		if
		:: key == Intruder -> learn(p); learn(q)
		:: else
		fi
	   }
	:: key == Alice ->                            /* pass on what cannot be read */
end_4:	   in_a!key,p,q,r
	:: key == Bob ->
end_5:	   in_b!key,p,q,r
	:: atomic { pick(x); if :: y = Alice :: y = Intruder fi };
end_1:	   in_b!Bob,x,y,none;                         /* play the first message */
	   atomic { x = 0; y = 0 }
	:: atomic { pick(x); pick(y) };
end_2:	   if                                         /* the second */
	   :: in_a!Alice,x,y,none
	   :: in_a!Alice,x,y,Intruder
	   fi;
	   atomic { x = 0; y = 0 }
	:: atomic { pick(x) };
end_3:	   in_b!Bob,x,none,none;                      /* the third */
	   x = 0
	od
}
