/* expect: verdict=verified stored=13 matched=0 transitions=13 atomic=0 depth=12 errors=0 */
byte r; proctype A(){ chan c=[1] of {byte}; r=c; c!1 } init{ run A(); (_nr_pr==1); run A(); (_nr_pr==1); r=0 }
