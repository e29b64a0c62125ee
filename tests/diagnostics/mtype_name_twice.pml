mtype = { ack, nak, ack };

init {
	skip
}
