package main

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// testBinary is what a test program is made of, as far as its source is read.
type testBinary struct {
	inside, outside *unit // the package with its tests, and its external tests
	units           []*unit
	named           map[symbol][]*function
	certain         map[*function]string // results of starter
	// perhaps has the names from which a go statement can be reached, each with the function that
	// has it.
	perhaps map[symbol]string
	initial string // what the initialisation of packages reaches in this way
	opaque  string // why more may run than the source shows
}

// calledBack returns the methods that package testing, by way of fmt, and the runtime call of
// values that they print.
func calledBack() []symbol {
	return []symbol{{"", "String"}, {"", "Error"}, {"", "GoString"}, {"", "Format"}}
}

// unread reports whether the source of a package is not read: no code of a test's is called by it
// but what the test names itself.
func unread(path string) bool {
	return path == "C" || path == "unsafe" || path == "testing" || path == "runtime" || strings.HasPrefix(path, "internal/runtime/")
}

// binary reads the source of a package's test program.
func (s *sources) binary(p *sourcePackage) (*testBinary, error) {
	b := &testBinary{named: make(map[symbol][]*function), certain: make(map[*function]string), perhaps: make(map[symbol]string)}
	var err error
	if b.inside, err = s.compile(p, p.ImportPath, slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles)...); err != nil {
		return nil, err
	}
	if b.outside, err = s.compile(p, p.ImportPath+"_test", p.XTestGoFiles...); err != nil {
		return nil, err
	}
	b.add(b.inside, p)
	b.add(b.outside, p)
	seen := map[string]bool{p.ImportPath: true}
	if err := s.follow(b, seen, p, slices.Concat(p.Imports, p.TestImports, p.XTestImports)); err != nil {
		return nil, err
	}
	b.spread()
	return b, nil
}

// follow adds packages, and those that they import.
func (s *sources) follow(b *testBinary, seen map[string]bool, by *sourcePackage, paths []string) error {
	for _, path := range paths {
		path = by.imported(path)
		p := s.packages[path]
		if seen[path] || unread(path) || p == nil {
			continue
		}
		seen[path] = true
		if p.unit == nil {
			var err error
			if p.unit, err = s.compile(p, path, slices.Concat(p.GoFiles, p.CgoFiles)...); err != nil {
				return err
			}
		}
		b.add(p.unit, p)
		if err := s.follow(b, seen, p, p.Imports); err != nil {
			return err
		}
	}
	return nil
}

// add adds the functions of a package.
func (b *testBinary) add(u *unit, p *sourcePackage) {
	b.units = append(b.units, u)
	for _, fn := range u.funcs {
		b.named[fn.symbol()] = append(b.named[fn.symbol()], fn)
	}
	switch {
	case p.Standard:
	case u.opaque != "":
		b.opaque = u.opaque
	case len(p.SFiles) > 0:
		b.opaque = p.ImportPath + " has assembly"
	}
}

// spread finds the names from which a go statement can be reached.
func (b *testBinary) spread() {
	users := make(map[symbol][]*function) // by a name in the body
	var next []*function
	why := make(map[*function]string)
	for _, u := range b.units {
		for _, fn := range u.funcs {
			for name := range fn.names {
				users[name] = append(users[name], fn)
			}
			if fn.starts || fn.reflect {
				next, why[fn] = append(next, fn), fn.String()
			}
		}
	}
	for len(next) > 0 {
		fn := next[0]
		if next = next[1:]; fn.name == "init" {
			b.initial = why[fn]
		}
		name := fn.symbol()
		if b.perhaps[name] != "" {
			continue
		}
		b.perhaps[name] = why[fn]
		for _, user := range users[name] {
			if why[user] == "" {
				next, why[user] = append(next, user), why[fn]
			}
		}
	}
}

// starter returns the function with the go statement that a function comes to by calls, "" if none
// is certain.
func (b *testBinary) starter(fn *function) string {
	if by, ok := b.certain[fn]; ok {
		return by
	}
	b.certain[fn] = "" // while it is being looked at
	by := ""
	if fn.certain {
		by = fn.String()
	}
	for _, c := range fn.calls {
		if by == "" {
			by = b.called(fn, c)
		}
	}
	b.certain[fn] = by
	return by
}

// called returns what starter says of all functions that a call may mean, "" if one of them starts
// no goroutine.
func (b *testBinary) called(fn *function, c call) (by string) {
	if c.by == "" && c.path != "" && fn.locals[c.name] {
		return "" // a variable
	}
	if fn.locals[c.by] {
		c.path = ""
	}
	for _, other := range b.named[c.symbol] {
		if by = b.starter(other); by == "" {
			break
		}
	}
	return by
}

// declared returns the function of a declaration.
func (u *unit) declared(d *ast.FuncDecl) *function {
	i := slices.IndexFunc(u.funcs, func(fn *function) bool { return fn.method == "" && fn.name == d.Name.Name })
	return u.funcs[i]
}

// judge says whether a test starts goroutines, and by which function.
func (b *testBinary) judge(u *unit, d *ast.FuncDecl) (starts, because string) {
	fn := u.declared(d)
	if by := b.starter(fn); by != "" {
		if by == fn.String() {
			by = "" // which the line has already
		}
		return startsSome, by
	}
	switch {
	case b.opaque != "":
		return notKnown, b.opaque
	case b.initial != "":
		return notKnown, b.initial
	case fn.reflect:
		return notKnown, "reflection"
	}
	by := ""
	for _, name := range slices.AppendSeq(calledBack(), maps.Keys(fn.names)) {
		if other := b.perhaps[name]; other != "" && (by == "" || other < by) {
			by = other
		}
	}
	if by != "" {
		return notKnown, by
	}
	return startsNone, ""
}

// checksItself returns how a test calls package por itself, "" if it does not.
func (b *testBinary) checksItself(u *unit, d *ast.FuncDecl) string {
	const por = "github.com/gopor/gopor/por"
	for _, c := range u.declared(d).calls {
		if c.path == por && (c.name == "Check" || c.name == "Explore") {
			return "por." + c.name
		}
	}
	return ""
}
