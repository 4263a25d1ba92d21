package instrument

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// flow is the way of an address through the program, and what is done with it.
type flow struct {
	seen       map[ssa.Value]bool
	writes     []ssa.Instruction
	captures   []ssa.Instruction      // function literals that have it become values
	passed     map[*ssa.Function]bool // functions that have it as an argument
	concurrent bool                   // ... which other goroutines may call
	lost       bool                   // it gets out of sight
}

func newFlow() *flow {
	return &flow{seen: make(map[ssa.Value]bool), passed: make(map[*ssa.Function]bool)}
}

// mostSteps limits the values that one address is followed through.
const mostSteps = 5000

// follow adds what is done with an address.
func (f *flow) follow(v ssa.Value) {
	if f.lost || f.seen[v] {
		return
	}
	f.seen[v] = true
	refs := v.Referrers()
	if refs == nil || len(f.seen) > mostSteps {
		f.lost = true
		return
	}
	for _, instr := range *refs {
		f.use(v, instr)
	}
}

// use adds what an instruction does with an address.
func (f *flow) use(v ssa.Value, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.Lookup, *ssa.Range:
	case *ssa.UnOp:
		f.lost = f.lost || instr.Op != token.MUL
	case *ssa.Store:
		f.lost = f.lost || instr.Val == v
		f.writes = append(f.writes, instr)
	case *ssa.MapUpdate:
		f.lost = f.lost || instr.Key == v || instr.Value == v
		f.writes = append(f.writes, instr)
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType:
		f.follow(instr.(ssa.Value))
	case *ssa.MakeClosure:
		f.captures = append(f.captures, instr)
		f.concurrent = f.concurrent || !calledHere(instr)
		for i, b := range instr.Bindings {
			if b == v {
				f.follow(instr.Fn.(*ssa.Function).FreeVars[i])
			}
		}
	case *ssa.Call:
		f.call(v, instr, &instr.Call)
	case *ssa.Defer:
		f.call(v, instr, &instr.Call)
	default:
		f.lost = true
	}
}

// call adds what a call does with an address among its arguments. The call is on
// the goroutine of its function.
func (f *flow) call(v ssa.Value, instr ssa.Instruction, c *ssa.CallCommon) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "print", "println":
		case "copy", "clear", "delete":
			f.writes = append(f.writes, instr)
			f.lost = f.lost || b.Name() == "delete" && c.Args[1] == v
		case "append":
			f.writes = append(f.writes, instr)
			if result, ok := instr.(*ssa.Call); ok && c.Args[0] == v {
				f.follow(result)
			}
		default:
			f.lost = true
		}
		return
	}
	fn := c.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) != len(c.Args) {
		f.lost = true
		return
	}
	for i, a := range c.Args {
		if a == v {
			f.passed[fn] = true
			f.follow(fn.Params[i])
		}
	}
}

// calledHere reports whether a function literal is called by the goroutine that
// makes it only: at once, through a variable that nothing else is done with, by
// a defer statement, or by the iterator whose loop it is the body of.
func calledHere(c *ssa.MakeClosure) bool {
	if c.Fn.(*ssa.Function).Synthetic == "range-over-func yield" {
		return true
	}
	for _, instr := range *c.Referrers() {
		var call *ssa.CallCommon
		switch instr := instr.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Call:
			call = &instr.Call
		case *ssa.Defer:
			call = &instr.Call
		}
		if call == nil || call.Value != c {
			return false
		}
		for _, a := range call.Args {
			if a == c {
				return false
			}
		}
	}
	return true
}

// changes reports whether memory may be written after a function literal has
// captured it. If not, all that read it have been started after the last write.
// A new allocation by the same instruction is other memory. When a function comes to
// use what was passed to it, and when a deferred call does, is not followed.
func (f *flow) changes(alloc ssa.Instruction) bool {
	home := alloc.Parent()
	writes := make(map[ssa.Instruction]bool)
	for _, w := range f.writes {
		if _, deferred := w.(*ssa.Defer); deferred || w.Parent() != home || f.passed[home] {
			return true
		}
		writes[w] = true
	}
	seen := make(map[*ssa.BasicBlock]bool)
	var written func([]ssa.Instruction, *ssa.BasicBlock) bool
	written = func(instrs []ssa.Instruction, b *ssa.BasicBlock) bool {
		for _, instr := range instrs {
			if instr == alloc {
				return false
			}
			if writes[instr] {
				return true
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				if written(next.Instrs, next) {
					return true
				}
			}
		}
		return false
	}
	for _, c := range f.captures {
		if f.passed[c.Parent()] && len(writes) > 0 {
			return true
		}
		if c.Parent() != home {
			continue // in a literal that has captured it itself
		}
		for i, instr := range c.Block().Instrs {
			if instr == c && written(c.Block().Instrs[i+1:], c.Block()) {
				return true
			}
		}
	}
	return false
}
