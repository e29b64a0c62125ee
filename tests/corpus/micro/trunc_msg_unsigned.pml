/* expect: refused */
chan q=[2] of {int,int}; typedef T { unsigned u:2; byte v }; chan r=[1] of {T}; T t; active proctype P(){ t.u=3; t.v=9; r!t; t.u=0; r?t; printf("%d %d\n",t.u,t.v) }
