typedef Message {
	byte kind;
	byte length
};

Message m;

init {
	m.lenght = 1
}
