never {
    do :: Server@busy od
}
active proctype Server() { busy: skip }
