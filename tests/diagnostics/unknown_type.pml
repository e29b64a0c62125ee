typedef Message { byte to }
init {
    Mesage m;
    m.to = 1
}
