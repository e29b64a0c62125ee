/* xr and xs take no element of an array.

   expect: refused
*/
chan q[2] = [1] of { byte };
active proctype P() { xr q[0]; q[0]!1 }
