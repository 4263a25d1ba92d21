package known

import (
	_ "embed"
	"strings"
)

//go:embed new.txt
var news string

//go:embed names.txt
var names string

// A New is a line of the table new.txt: an exported name that came after Go 1.25.
type New struct {
	Symbol string
	Since  int    // the second number of the release that introduced it
	How    string // control, named or nothing
	Why    string
}

// News returns the table new.txt.
func News() (list []New) {
	for line := range strings.Lines(news) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var n New
		number, rest, _ := strings.Cut(line, " ")
		release("since="+number, "since", &n.Since)
		n.Symbol, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
		n.How, n.Why, _ = strings.Cut(strings.TrimSpace(rest), " ")
		n.Why = strings.TrimSpace(n.Why)
		list = append(list, n)
	}
	return list
}

// Base returns the exported names of Go 1.25 except constants, each with its package before it.
func Base() map[string]bool {
	all, path := make(map[string]bool), ""
	for line := range strings.Lines(names) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if before, after, ok := strings.Cut(line, ":"); ok {
			path, line = before, after
		}
		for name := range strings.FieldsSeq(line) {
			all[path+"."+name] = true
		}
	}
	return all
}

// Split returns the package and the name of a symbol. The name begins after the first dot of
// the last element of the path.
func Split(symbol string) (path, name string) { return split(symbol) }
