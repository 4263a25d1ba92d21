// Package known says all that gopor knows of the standard library by name, release by release. File std.txt has
// what is rewritten, replaced, announced and hooked. File new.txt has what is new since Go 1.25, with what gopor
// does about it, and names.txt the exported names of Go 1.25.
package known

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The second numbers of the releases of Go whose standard library gopor knows.
const (
	Oldest = 26
	Newest = 27
)

//go:embed std.txt
var standard string

// A Row is a line of the table std.txt.
type Row struct {
	Class string
	Path  string // of the package
	Name  string // of the symbol, "" if the row is about a package
	Args  string // what the class says of it
	Since int    // the second number of the release that the symbol came with, 0 if the oldest has it
	Until int    // that of the last release with it, 0 if the newest has it
}

// Symbol returns the full name of what the row is about.
func (r Row) Symbol() string {
	if r.Name == "" {
		return r.Path
	}
	return r.Path + "." + r.Name
}

// In reports whether a release of Go, by its second number, has the symbol.
func (r Row) In(release int) bool {
	return (r.Since == 0 || r.Since <= release) && (r.Until == 0 || release <= r.Until)
}

// A table has the rows of std.txt in their order, and by class.
type table struct {
	rows    []Row
	symbols map[string]map[string]Row // by class and symbol
}

var read = sync.OnceValue(func() *table {
	t := &table{symbols: make(map[string]map[string]Row)}
	for line := range strings.Lines(standard) {
		r, ok := parse(line)
		if !ok {
			continue
		}
		t.rows = append(t.rows, r)
		if t.symbols[r.Class] == nil {
			t.symbols[r.Class] = make(map[string]Row)
		}
		t.symbols[r.Class][r.Symbol()] = r
	}
	return t
})

// parse returns the row that a line of the table is. Comments and empty lines are not rows.
func parse(line string) (r Row, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	class, rest, _ := strings.Cut(line, " ")
	symbol, args, _ := strings.Cut(rest, " ")
	r.Class = class
	r.Path, r.Name = split(symbol)
	for {
		word, others, _ := strings.Cut(args, " ")
		if !release(word, "since", &r.Since) && !release(word, "until", &r.Until) {
			r.Args = args
			return r, true
		}
		args = others
	}
}

// release sets n to the second number of the release that a word such as since=1.27 names. It reports whether
// the word is of that kind.
func release(word, kind string, n *int) bool {
	number, ok := strings.CutPrefix(word, kind+"=1.")
	if !ok {
		return false
	}
	var err error
	*n, err = strconv.Atoi(number)
	return err == nil
}

// split returns the package and the name of a symbol: the name begins after the first dot of the last
// element of the path.
func split(symbol string) (path, name string) {
	at := strings.LastIndex(symbol, "/") + 1
	last, name, _ := strings.Cut(symbol[at:], ".")
	return symbol[:at] + last, name
}

// Rows returns all rows of a class in the order of the table.
func Rows(class string) (rows []Row) {
	for _, r := range read().rows {
		if r.Class == class {
			rows = append(rows, r)
		}
	}
	return rows
}

// All returns all rows in the order of the table.
func All() []Row { return slices.Clone(read().rows) }

// Paths returns the packages of a class in the order of the table.
func Paths(class string) (paths []string) {
	for _, r := range Rows(class) {
		if !slices.Contains(paths, r.Path) {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// Names returns the names of a package's symbols of a class in the order of the table.
func Names(class, path string) (names []string) {
	for _, r := range Rows(class) {
		if r.Path == path {
			names = append(names, r.Name)
		}
	}
	return names
}

// Is reports whether a package, or a symbol such as os.File.Read, is of a class.
func Is(class, symbol string) bool {
	_, ok := read().symbols[class][symbol]
	return ok
}

// Of returns what a class says of a package or symbol. It reports whether that is of the class.
func Of(class, symbol string) (args string, ok bool) {
	r, ok := read().symbols[class][symbol]
	return r.Args, ok
}

// Files returns what a class says of its packages, as lists of words.
func Files(class string) map[string][]string {
	files := make(map[string][]string)
	for _, r := range Rows(class) {
		files[r.Path] = strings.Fields(r.Args)
	}
	return files
}

// Releases says which releases gopor knows.
func Releases() string { return fmt.Sprintf("Go 1.%d to 1.%d", Oldest, Newest) }
