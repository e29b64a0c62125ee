/* expect: partial max search depth too small */
byte x; active proctype P(){ atomic { do :: x=1-x od } }
