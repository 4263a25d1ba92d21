module example.org/cost

go 1.26.0
