typedef Sample {
	unsigned level : 3;
	byte time
};

chan q = [1] of { Sample };
byte r = [2] of { byte };

init {
	skip
}
