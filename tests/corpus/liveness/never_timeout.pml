/* A claim that asks for timeout: it holds where nothing else can move, in the state that the claim looks at.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
active proctype A() { timeout; false }
never { do :: timeout -> break :: else od }
