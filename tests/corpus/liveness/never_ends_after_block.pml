/* The claim ends where the server's block breaks off: the state is first met there, and later arrivals find it known.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte g;
chan c = [0] of { bit };
active proctype Client() { do :: atomic { g = 1; c!1 } od }
active proctype Server() { do :: atomic { c?_; g = 0; g == 1 } od }
never { g == 0 }
