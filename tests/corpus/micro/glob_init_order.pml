/* expect: refused */
byte a=b+1; byte b=4; byte c=b+1; active proctype A(){ printf("a %d b %d c %d\n",a,b,c) }
