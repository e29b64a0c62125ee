/* expect: verdict=verified stored=12 matched=0 transitions=12 atomic=0 depth=11 errors=0 */
chan q=[2] of {bit,byte,short,bool,mtype}; chan r=[1] of {bit}; chan s=[1] of {bool}; chan w=[1] of {byte}; 
active proctype P(){ int a,b,c,d,e; q!2,300,70000,2,257; q?a,b,c,d,e; printf("bit %d byte %d short %d bool %d mtype %d\n",a,b,c,d,e); r!2; r?a; s!3; s?b; w!256; w?c; printf("r %d s %d w %d\n",a,b,c) }
