package instrument

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// This file is about loops over functions: their bodies are function literals, which
// an iterator may call from any goroutine.

// iterating are the folders of the standard library with iterators. They call the
// body of a loop on its goroutine.
var iterating = map[string]bool{
	"bytes": true, "go": true, "maps": true, "reflect": true, "slices": true, "strings": true, "sync": true,
}

// loopsHere reports whether the body of a loop over a function is called by the
// goroutine of the loop only.
func loopsHere(body *ssa.MakeClosure) bool {
	for _, instr := range *body.Referrers() {
		if call, ok := instr.(*ssa.Call); ok {
			return make(iterators).here(call.Call.Value)
		}
	}
	return false
}

// iterators looks for what iterators do with the body of a loop. It holds what has
// been seen on the way, which adds nothing new.
type iterators map[ssa.Value]bool

// here reports whether an iterator calls its argument on its own goroutine, and does
// nothing else with it.
func (i iterators) here(iterator ssa.Value) bool {
	switch v := iterator.(type) {
	case *ssa.Function:
		return inLibrary(v) || len(v.Blocks) > 0 && i.called(v.Params[0])
	case *ssa.MakeClosure:
		return i.here(v.Fn)
	case *ssa.ChangeType:
		return i.here(v.X)
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		return fn != nil && (inLibrary(fn) || i.returned(fn))
	}
	return false
}

// returned is here for what a function returns.
func (i iterators) returned(fn *ssa.Function) bool {
	if i[fn] {
		return true
	}
	i[fn] = true
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !i.here(r.Results[0]) {
			return false
		}
	}
	return len(fn.Blocks) > 0
}

// called reports whether nothing is done with a function but to call it.
func (i iterators) called(f ssa.Value) bool {
	if i[f] {
		return true
	}
	i[f] = true
	for _, instr := range *f.Referrers() {
		switch instr := instr.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			fn := instr.Call.StaticCallee()
			for n, a := range instr.Call.Args {
				if a == f && (fn == nil || len(fn.Blocks) == 0 || !i.called(fn.Params[n])) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// inLibrary reports whether a function is one of the standard library.
func inLibrary(fn *ssa.Function) bool {
	o, ok := fn.Object().(*types.Func)
	if !ok || o.Pkg() == nil {
		return false
	}
	folder, _, _ := strings.Cut(original(o.Pkg().Path()), "/")
	return iterating[folder]
}
