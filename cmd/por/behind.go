package main

import (
	"fmt"
	"io"

	"github.com/gopor/gopor/internal/record"
)

// sayBehind names the tests that leave goroutines behind which something still reaches, as the file told says.
func sayBehind(w io.Writer, told string) {
	if line := record.Behind(told); line != "" {
		fmt.Fprintf(w, "por: %s\n", line)
	}
}
