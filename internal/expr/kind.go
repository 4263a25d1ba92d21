package expr

import (
	"go/ast"
	"strconv"
)

// A Class says how to interpret the words in memory that make up a value.
type Class uint8

const (
	Unknown Class = iota // the type is unknown
	Boolean
	Signed
	Unsigned
	Float
	Pointer // or a channel or a function: zero means nil
	Map     // its memory shows the number of its entries
	Other   // not a single number
)

// Kind is the part of a type that is needed to read a value of it.
type Kind struct {
	Class Class
	Size  int // in bytes; 0 for Unknown and Other
}

const word = strconv.IntSize / 8

// basic has the predeclared types that are numbers.
var basic = map[string]Kind{
	"bool": {Boolean, 1}, "byte": {Unsigned, 1}, "rune": {Signed, 4}, "uintptr": {Unsigned, word},
	"int": {Signed, word}, "int8": {Signed, 1}, "int16": {Signed, 2}, "int32": {Signed, 4}, "int64": {Signed, 8},
	"uint": {Unsigned, word}, "uint8": {Unsigned, 1}, "uint16": {Unsigned, 2}, "uint32": {Unsigned, 4}, "uint64": {Unsigned, 8},
	"float32": {Float, 4}, "float64": {Float, 8}, "string": {Class: Other}, "complex64": {Class: Other}, "complex128": {Class: Other},
}

// universe has the objects that are declared in no package.
var universe = predeclared()

func predeclared() map[string]*ast.Object {
	all := make(map[string]*ast.Object)
	add := func(kind ast.ObjKind, names ...string) {
		for _, name := range names {
			all[name] = ast.NewObj(kind, name)
		}
	}
	for name := range basic {
		add(ast.Typ, name)
	}
	add(ast.Typ, "any", "comparable", "error")
	add(ast.Con, "false", "iota", "nil", "true")
	add(ast.Fun, "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new", "panic",
		"print", "println", "real", "recover")
	return all
}

// Predeclared reports whether a name is declared in every package.
func Predeclared(name string) bool { return universe[name] != nil }

// KindOf returns the kind of an expression as far as the package determines it. The types of
// imported objects and of untyped constants are unknown.
func (p *Package) KindOf(x ast.Expr) Kind {
	p.steps = 0
	t := p.underlying(p.of(x))
	if t.untyped {
		return Kind{}
	}
	switch x := t.x.(type) {
	case nil:
		return Kind{}
	case *ast.Ident:
		return basic[x.Name]
	case *ast.StarExpr, *ast.ChanType, *ast.FuncType:
		return Kind{Pointer, word}
	case *ast.MapType:
		return Kind{Map, word}
	}
	return Kind{Class: Other}
}
