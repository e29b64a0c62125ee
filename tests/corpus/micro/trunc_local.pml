/* expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0 */
active proctype P(){ bit b=1; bool bl=1; byte by=255; short sh=32767; unsigned u:3=7; bool bb[2]; bit ba2[3];
b=b+1; bl=bl+3; by=by+1; sh=sh+1; u=u+1; bb[0]=2; ba2[1]=7; printf("bit %d bool %d byte %d short %d u3 %d bb %d ba2 %d\n",b,bl,by,sh,u,bb[0],ba2[1]) }
