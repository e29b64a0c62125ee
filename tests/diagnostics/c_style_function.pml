int max(int a, int b) {
    if :: a > b -> a :: else -> b fi
}
init { skip }
