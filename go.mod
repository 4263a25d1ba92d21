module github.com/gopor/gopor

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/google/go-cmp v0.7.0
	golang.org/x/tools v0.48.0
)
