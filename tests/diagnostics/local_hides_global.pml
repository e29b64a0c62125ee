byte turn;

active proctype P() {
	byte turn = 1;
	turn++
}
