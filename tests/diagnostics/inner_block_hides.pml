active proctype P() {
	byte i;
	i = 1;
	{
		byte i = 2;
		i++
	}
}
