package main

import (
	"go/ast"
	"slices"
	"strings"
)

// testBinary is what a test program is made of, as far as its source is read.
type testBinary struct {
	inside, outside *unit // the package with its tests, and its external tests
	units           []*unit
	named           map[symbol][]*function
	certain         map[*function]string   // results of starter
	methods         map[string][]*function // by name
	typed           map[symbol][]*function // methods by the name of their type
	initial         *reached               // by what initialises the packages
	cgo             string                 // a package that calls C, "" if there is none
}

// calledBack returns the methods that package testing, by way of fmt, and the runtime call of
// values that they print.
func calledBack() []symbol {
	return []symbol{{"", "String"}, {"", "Error"}, {"", "GoString"}, {"", "Format"}}
}

// unread reports whether the source of a package is not read: no code of a test's is called by it
// but what the test names itself.
func unread(path string) bool {
	switch path {
	case "C", "unsafe", "testing", "runtime", "crypto/internal/sysrand":
		return true
	}
	return strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "golang.org/x/sys/")
}

// binary reads the source of a package's test program.
func (s *sources) binary(p *sourcePackage) (*testBinary, error) {
	b := &testBinary{named: make(map[symbol][]*function), certain: make(map[*function]string), methods: make(map[string][]*function), typed: make(map[symbol][]*function)}
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
	b.initial = b.reach(nil, calledBack()...)
	for _, u := range b.units {
		b.initial.add(u.funcs[0])
	}
	b.initial.follow()
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
		if fn.method != "" {
			t := symbol{u.path, fn.method}
			b.methods[fn.name], b.typed[t] = append(b.methods[fn.name], fn), append(b.typed[t], fn)
		}
	}
	if u.cgo && !p.Standard {
		b.cgo = u.path
	}
}

// reached is what can be reached by names.
type reached struct {
	b     *testBinary
	above *reached // what is reached in any case, nil for nothing
	names map[symbol]bool
	next  []*function // to be followed
	funcs map[*function]bool
	by    *function // the first one that may start goroutines, of the standard library if need be
}

// reach returns what can be reached by names, and by what is reached in any case.
func (b *testBinary) reach(above *reached, names ...symbol) *reached {
	r := &reached{b: b, above: above, names: make(map[symbol]bool), funcs: make(map[*function]bool)}
	for _, name := range names {
		r.name(name)
	}
	return r
}

// has reports whether a name is reached.
func (r *reached) has(name symbol) bool { return r != nil && (r.names[name] || r.above.has(name)) }

// name adds a name, with the functions that it reaches.
func (r *reached) name(name symbol) {
	if r.has(name) {
		return
	}
	r.names[name] = true
	if name.path == "" {
		for _, m := range r.b.methods[name.name] {
			if r.has(symbol{m.of.path, m.method}) {
				r.add(m)
			}
		}
		return
	}
	for _, fn := range r.b.named[name] {
		r.add(fn)
	}
	for _, m := range r.b.typed[name] {
		if r.has(m.symbol()) {
			r.add(m)
		}
	}
}

// add adds a function, to be followed.
func (r *reached) add(fn *function) {
	if r.funcs[fn] || r.above != nil && r.above.funcs[fn] {
		return
	}
	r.funcs[fn] = true
	r.next = append(r.next, fn)
	if fn.mayStart() != "" && (r.by == nil || before(fn, r.by)) {
		r.by = fn
	}
}

// before orders functions: those of the standard library come last, and others by their names.
func before(x, y *function) bool {
	if x.of.standard != y.of.standard {
		return y.of.standard
	}
	return x.String() < y.String()
}

// follow adds all that is reached by what has been added.
func (r *reached) follow() {
	for len(r.next) > 0 {
		fn := r.next[len(r.next)-1]
		r.next = r.next[:len(r.next)-1]
		for name := range fn.names {
			r.name(name)
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
	var first *function // which is named
	for _, other := range b.named[c.symbol] {
		starter := b.starter(other)
		if starter == "" {
			return ""
		}
		if first == nil || before(other, first) {
			first, by = other, starter
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
	case b.cgo != "":
		return notKnown, b.cgo + ", which calls C"
	case b.initial.by != nil:
		return notKnown, b.initial.by.mayStart()
	}
	r := b.reach(b.initial)
	r.add(fn)
	if r.follow(); r.by != nil {
		return notKnown, r.by.mayStart()
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
