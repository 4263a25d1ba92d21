package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// sharing knows which memory of a package may be used by several goroutines.
// Whatever it cannot follow, is taken to be shared: what is reached through
// parameters, results of calls, channels, maps, interfaces and package-level
// variables, and whatever memory has its address stored or passed out of sight.
type sharing struct {
	info     *types.Info
	init     *ssa.Function                      // where package-level variables get their first values
	allocs   map[token.Pos][]*ssa.Alloc         // of variables that live in memory, by declaration
	values   map[*ast.Ident]ssa.Value           // what identifiers stand for where they are used
	globals  map[types.Object][]ssa.Instruction // the uses of package-level variables
	global   map[types.Object]*ssa.Global
	known    map[ssa.Value]bool // verdicts on memory
	knownVar map[types.Object]bool
}

func newSharing(p *Package) *sharing {
	prog := ssa.NewProgram(p.Fset, ssa.GlobalDebug)
	created := make(map[*types.Package]bool)
	var create func([]*types.Package)
	create = func(imports []*types.Package) {
		for _, i := range imports {
			if !created[i] {
				created[i] = true
				prog.CreatePackage(i, nil, nil, true)
				create(i.Imports())
			}
		}
	}
	create(p.Types.Imports())
	var syntax []*ast.File
	for _, f := range p.Files {
		syntax = append(syntax, f.AST)
	}
	pkg := prog.CreatePackage(p.Types, syntax, p.Info, false)
	pkg.Build()

	s := &sharing{
		info:     p.Info,
		init:     pkg.Func("init"),
		allocs:   make(map[token.Pos][]*ssa.Alloc),
		values:   make(map[*ast.Ident]ssa.Value),
		globals:  make(map[types.Object][]ssa.Instruction),
		global:   make(map[types.Object]*ssa.Global),
		known:    make(map[ssa.Value]bool),
		knownVar: make(map[types.Object]bool),
	}
	s.index(s.init)
	for _, f := range syntax {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				s.index(prog.FuncValue(p.Info.Defs[d.Name].(*types.Func)))
			}
		}
	}
	return s
}

// index notes what is of interest in a function and in the literals in it.
func (s *sharing) index(fn *ssa.Function) {
	if fn == nil {
		return
	}
	var operands []*ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.DebugRef:
				if id, ok := instr.Expr.(*ast.Ident); ok && !instr.IsAddr {
					s.values[id] = instr.X
				}
				continue
			case *ssa.Alloc:
				s.allocs[instr.Pos()] = append(s.allocs[instr.Pos()], instr)
			}
			for _, v := range instr.Operands(operands[:0]) {
				if g, ok := (*v).(*ssa.Global); ok && g.Object() != nil {
					s.globals[g.Object()] = append(s.globals[g.Object()], instr)
					s.global[g.Object()] = g
				}
			}
		}
	}
	for _, lit := range fn.AnonFuncs {
		s.index(lit)
	}
}

// variable reports whether a variable may be shared.
func (s *sharing) variable(v *types.Var) bool {
	shared, ok := s.knownVar[v]
	if !ok {
		if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			shared = !s.constant(v)
		}
		for _, a := range s.allocs[v.Pos()] {
			shared = shared || s.memory(a)
		}
		s.knownVar[v] = shared
	}
	return shared
}

// constant reports whether a package-level variable has the value of its
// declaration for ever. Goroutines that read it have been started later than
// that, by the rules for the order of initialization.
func (s *sharing) constant(v *types.Var) bool {
	if v.Exported() {
		return false
	}
	f := newFlow()
	for _, instr := range s.globals[v] {
		f.use(s.global[v], instr)
	}
	for _, w := range f.writes {
		if w.Parent() != s.init {
			return false
		}
	}
	return !f.lost
}

// inMemory reports whether a variable is one that has an address: it is
// captured, or an address in it is taken.
func (s *sharing) inMemory(v types.Object) bool { return v != nil && len(s.allocs[v.Pos()]) > 0 }

// pointee reports whether what an expression points to, the elements of a slice
// or a map included, may be shared.
func (s *sharing) pointee(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := s.values[e]
		return v == nil || s.target(v, make(map[ssa.Value]bool))
	case *ast.SliceExpr:
		return s.pointee(e.X)
	case *ast.CompositeLit:
		return false // nobody else has it
	case *ast.CallExpr:
		if s.info.Types[e.Fun].IsType() {
			return s.converted(e.Args[0])
		}
	}
	return true
}

// converted is pointee of a conversion.
func (s *sharing) converted(e ast.Expr) bool {
	tv := s.info.Types[e]
	if b, ok := tv.Type.Underlying().(*types.Basic); tv.IsNil() || ok && b.Info()&types.IsString != 0 {
		return false // nothing, or a copy
	}
	return s.pointee(e)
}

// target is pointee of a value. A value that has been seen on the way adds
// nothing new.
func (s *sharing) target(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const: // nil
		return false
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
		return s.memory(v)
	case *ssa.FieldAddr:
		return s.target(v.X, seen)
	case *ssa.IndexAddr:
		return s.target(v.X, seen)
	case *ssa.Slice:
		return s.target(v.X, seen)
	case *ssa.ChangeType:
		return s.target(v.X, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if s.target(e, seen) {
				return true
			}
		}
		return false
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return !ok || b.Name() != "append" || s.memory(v) || s.target(v.Call.Args[0], seen)
	}
	return true
}

// memory reports whether the memory that an instruction allocates may be shared.
func (s *sharing) memory(v ssa.Value) bool {
	shared, ok := s.known[v]
	if !ok {
		f := newFlow()
		f.follow(v)
		shared = f.lost || f.concurrent && f.changes(v.(ssa.Instruction))
		s.known[v] = shared
	}
	return shared
}
