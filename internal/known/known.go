// Package known has everything that gopor knows of the standard library by name, release by
// release. File std.txt has what is rewritten, replaced, announced and hooked. File new.txt has
// the names that are new since Go 1.25, with what gopor does about them. File names.txt has the
// exported names of Go 1.25.
package known

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Oldest and Newest are the second numbers of the releases of Go that gopor knows.
const (
	Oldest = 26
	Newest = 27
)

//go:embed std.txt
var standard string

// A Row is a line of the table std.txt.
type Row struct {
	Class string
	Path  string // import path of the package
	Name  string // name of the symbol, "" if the row is about a package
	Args  string // the arguments of the class
	// The second number of the release that introduced the symbol, 0 if the oldest has it.
	Since int
	// The second number of the last release with the symbol, 0 if the newest has it.
	Until int
}

// Symbol returns the full name of the symbol or package of the row.
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

// parse returns the row in a line of the table. It returns false for comments and empty lines.
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

// release sets n to the second number of the release in a word such as since=1.27. It reports
// whether the word is of that kind.
func release(word, kind string, n *int) bool {
	number, ok := strings.CutPrefix(word, kind+"=1.")
	if !ok {
		return false
	}
	var err error
	*n, err = strconv.Atoi(number)
	return err == nil
}

// split returns the package and the name of a symbol. The name begins after the first dot of
// the last element of the path.
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

// Of returns the arguments of a class for a package or symbol. It reports whether that is of
// the class.
func Of(class, symbol string) (args string, ok bool) {
	r, ok := read().symbols[class][symbol]
	return r.Args, ok
}

// Files returns the arguments of a class by package, as lists of words.
func Files(class string) map[string][]string {
	files := make(map[string][]string)
	for _, r := range Rows(class) {
		files[r.Path] = strings.Fields(r.Args)
	}
	return files
}

// Releases returns the releases that gopor knows, as text.
func Releases() string { return fmt.Sprintf("Go 1.%d to 1.%d", Oldest, Newest) }
