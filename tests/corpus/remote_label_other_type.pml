/* Remote references compare numbers of locations, whatever the type of the process with that pid is.

   expect: verdict=violated stored=27 matched=13 transitions=40 atomic=0 depth=8 errors=4
*/
proctype Named() { skip; skip; L: skip; skip }
active proctype Reader() { bool y; y = Named[1]@L; assert(!y) }
active proctype Other() { byte z; z = 1; z = 2; z = 3; z = 4 }
