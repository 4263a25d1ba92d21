module example.org/leaks

go 1.26.0
