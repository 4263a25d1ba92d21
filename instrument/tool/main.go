// Command tool is what the go command calls in place of the compiler and the
// linker when a test binary builds itself again under control. It is a part of
// command por that is small enough to be built then and there.
package main

import (
	"os"

	"github.com/gopor/gopor/instrument"
)

func main() { os.Exit(instrument.Toolexec(os.Args[1:])) }
