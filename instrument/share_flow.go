package instrument

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow is the way of an address through the program, and what is done with it.
type flow struct {
	seen       map[ssa.Value]bool
	writes     []flowWrite
	merged     bool                   // the address at hand may be one of several
	captures   []ssa.Instruction      // function literals that have it become values
	passed     map[*ssa.Function]bool // functions that have it as an argument
	concurrent bool                   // ... which other goroutines may call
	lost       bool                   // it gets out of sight
}

// flowWrite is an instruction that writes.
type flowWrite struct {
	ssa.Instruction
	merged bool // to an address that may be one of several
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
		f.write(instr)
	case *ssa.MapUpdate:
		f.lost = f.lost || instr.Key == v || instr.Value == v
		f.write(instr)
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType:
		f.follow(instr.(ssa.Value))
	case *ssa.Phi:
		outer := f.merged
		f.merged = true
		f.follow(instr)
		f.merged = outer
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

func (f *flow) write(instr ssa.Instruction) { f.writes = append(f.writes, flowWrite{instr, f.merged}) }

// call adds what a call does with an address among its arguments. The call is on
// the goroutine of its function.
func (f *flow) call(v ssa.Value, instr ssa.Instruction, c *ssa.CallCommon) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "print", "println":
		case "copy", "clear", "delete":
			f.write(instr)
			f.lost = f.lost || b.Name() == "delete" && c.Args[1] == v
		case "append":
			f.write(instr)
			if result, ok := instr.(*ssa.Call); ok && c.Args[0] == v {
				f.follow(result)
			}
		default:
			f.lost = true
		}
		return
	}
	fn := c.StaticCallee()
	if fn != nil && keepsNothing(fn) && c.Args[0] == v && !slices.Contains(c.Args[1:], v) {
		f.write(instr)
		return
	}
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
		return loopsHere(c)
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
// When a function comes to use what was passed to it, and when a deferred call does,
// is not followed.
func (f *flow) changes(alloc ssa.Instruction) bool {
	home := alloc.Parent()
	l := &later{alloc: alloc, writes: make(map[ssa.Instruction]bool), seen: make(map[reached]bool)}
	for _, w := range f.writes {
		if _, deferred := w.Instruction.(*ssa.Defer); deferred || w.Parent() != home {
			return true
		}
		l.writes[w.Instruction] = l.writes[w.Instruction] || w.merged
	}
	for _, c := range f.captures {
		if f.passed[c.Parent()] && len(f.writes) > 0 {
			return true
		}
		if c.Parent() != home {
			continue // in a literal that has captured it itself
		}
		instrs := c.Block().Instrs
		if l.written(instrs[slices.Index(instrs, c)+1:], c.Block(), false) {
			return true
		}
	}
	return false
}

// later looks for writes that come after something else. A new allocation by the same
// instruction is other memory: what was there before can be reached only by an address
// that may be one of several.
type later struct {
	alloc  ssa.Instruction
	writes map[ssa.Instruction]bool // whether to such an address
	seen   map[reached]bool
}

type reached struct {
	*ssa.BasicBlock
	again bool // the memory has been allocated again
}

// written reports whether one is among instructions of a block, or after it.
func (l *later) written(instrs []ssa.Instruction, b *ssa.BasicBlock, again bool) bool {
	for _, instr := range instrs {
		again = again || instr == l.alloc
		if merged, ok := l.writes[instr]; ok && (merged || !again) {
			return true
		}
	}
	for _, next := range b.Succs {
		if r := (reached{next, again}); !l.seen[r] {
			l.seen[r] = true
			if l.written(next.Instrs, next, again) {
				return true
			}
		}
	}
	return false
}
