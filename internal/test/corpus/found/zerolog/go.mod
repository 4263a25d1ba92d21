module example.org/found/zerolog

go 1.26.0

require github.com/rs/zerolog v1.35.1
