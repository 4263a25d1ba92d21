package main

import (
	"fmt"
	"io"

	"github.com/gopor/gopor/internal/known"
)

// printNews prints the table of what is new.
func printNews(w io.Writer, news []known.New) {
	for _, n := range news {
		fmt.Fprintf(w, "1.%d %-60s %-8s %s\n", n.Since, n.Symbol, n.How, n.Why)
	}
}
