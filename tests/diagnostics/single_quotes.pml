init { printf('hello') }
