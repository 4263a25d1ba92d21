module example.org/shop

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/gopor/gopor v0.0.0
)

replace github.com/gopor/gopor => ../..
