module example.org/leaks

go 1.25.0
