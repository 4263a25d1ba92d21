package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// differences returns a line for everything in which a library differs from the tables.
func differences(lib *library, rows []known.Row, news []known.New, base map[string]bool) (lines []string) {
	for _, r := range rows {
		if line := compare(lib, r); line != "" {
			lines = append(lines, line)
		}
	}
	listed := make(map[string]bool)
	for _, n := range news {
		listed[n.Symbol] = true
		path, name := known.Split(n.Symbol)
		if _, ok := lib.packages[path][name]; !ok && n.Since <= lib.minor {
			lines = append(lines, fmt.Sprintf("gone: %s, which new.txt says came with Go 1.%d", n.Symbol, n.Since))
		} else if ok && n.Since > lib.minor {
			lines = append(lines, fmt.Sprintf("earlier: %s, which new.txt says came with Go 1.%d, is in %s", n.Symbol, n.Since, lib.version))
		}
	}
	for _, symbol := range unlisted(lib, news, base) {
		path, name := known.Split(symbol)
		d := lib.packages[path][name]
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("new: %s %s %s", d.kind, symbol, d.text))+": not in new.txt")
	}
	for _, symbol := range slices.Sorted(maps.Keys(base)) {
		path, name := known.Split(symbol)
		if _, ok := lib.packages[path][name]; !ok && !listed[symbol] {
			lines = append(lines, fmt.Sprintf("gone: %s, which Go 1.25 has", symbol))
		}
	}
	return lines
}

// unlisted returns the exported names of a library that no table has, in order.
func unlisted(lib *library, news []known.New, base map[string]bool) (symbols []string) {
	listed := make(map[string]bool)
	for _, n := range news {
		listed[n.Symbol] = true
	}
	for _, path := range slices.Sorted(maps.Keys(lib.packages)) {
		for _, name := range slices.Sorted(maps.Keys(lib.packages[path])) {
			symbol := path + "." + name
			if lib.exports(path, name) && !base[symbol] && !listed[symbol] {
				symbols = append(symbols, symbol)
			}
		}
	}
	return symbols
}

// compare returns a line if a row of the table std.txt does not hold for a library, or "".
func compare(lib *library, r known.Row) string {
	what := fmt.Sprintf("%s (%s in std.txt)", r.Symbol(), r.Class)
	if r.Class == "linked" && r.Args == "other" || r.Class == "led" || r.Class == "outward" || strings.HasPrefix(r.Path, "golang.org/") {
		return ""
	}
	symbols, ok := lib.packages[r.Path]
	d, declared := symbols[r.Name]
	has := ok && (r.Name == "" || declared)
	if r.Class == "linked" {
		has = has || lib.linked[r.Symbol()]
	}
	switch {
	case !has && r.In(lib.minor):
		return "gone: " + what
	case has && !r.In(lib.minor):
		return "there: " + what + ", which the table says is not in this release"
	case r.Class == "hook" && has && d.text != r.Args:
		return fmt.Sprintf("changed: %s is %s, not %s", what, d.text, r.Args)
	}
	return ""
}
