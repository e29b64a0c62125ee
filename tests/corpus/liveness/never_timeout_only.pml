/* The only move of the claim is one under timeout.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
active proctype A() { timeout; false }
never { timeout }
