package main

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por/engine"
)

// list prints the programs and engines.
func list(e command.Env) {
	fmt.Fprintln(e.Out, "programs:")
	for _, p := range paper.Programs() {
		fmt.Fprintf(e.Out, "  %-17s %-21s %-20s %s\n", p.Name, describeSize("-n", p.N), describeSize("-m", p.M), p.Doc)
	}
	fmt.Fprintln(e.Out, "engines:")
	for _, name := range engine.Names() {
		fmt.Fprintf(e.Out, "  %s\n", name)
	}
	fmt.Fprintf(e.Out, "tables: %s\n", strings.Join(tableNames, " "))
}

func describeSize(flag string, s paper.Size) string {
	if s == (paper.Size{}) {
		return ""
	}
	return fmt.Sprintf("%s %d..%d (%s)", flag, s.Min, s.Max, s.Name)
}
