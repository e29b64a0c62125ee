active proctype P() {
  proctype Q() { skip }
  run Q()
}
