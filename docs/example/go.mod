module example.org/shop

go 1.25.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/gopor/gopor v0.0.0
)

require golang.org/x/tools v0.48.0 // indirect

replace github.com/gopor/gopor => ../..
