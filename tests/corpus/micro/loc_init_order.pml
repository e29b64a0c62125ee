/* expect: refused */
active proctype A(){ byte a=b2+1; byte b2=4; printf("a %d b2 %d\n",a,b2) }
