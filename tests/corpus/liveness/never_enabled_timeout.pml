/* enabled(p) where p can only go on by timeout, and nobody else can move: p has a statement that is executable.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
active proctype A() { timeout; false }
never { do :: enabled(0) -> break :: else od }
