// Package naming finds the names that a program has for the objects of a record.
//
// A record labels objects by kind and number: Mutex 2. The program has better names: the
// expressions of the statements that use them. The package finds those in the source, at the
// places where the record shows a use of the object. It follows parameters up the stack: what
// a.mu.Lock() locks in func (a *Account) lock(), which was called as from.lock() in
// Transfer(from, to), which was called as Transfer(&alice, &bob), is alice.mu. The label
// remains if the source cannot be read, or if a line has several expressions that may be meant.
package naming

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/expr"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// longestName is the maximal number of characters of a name.
const longestName = 40

// Apply sets the names of the objects of a record, and their values where the types are known.
// It returns a function from the label of an object to its name, which is the label if it has no
// other. ok is false if no object has a name.
func (n *Search) Apply(entries []exec.Entry) (name func(label string) string, ok bool) {
	names := n.NamesOf(entries)
	if len(names) == 0 {
		return nil, false
	}
	for i := range entries {
		e := &entries[i]
		e.Expr = names[e.Obj]
		if e.Took != nil {
			e.Took.Expr = names[e.Took.Obj]
		}
		if e.Size > 0 && e.Value == "" {
			n.learnType(e)
		}
	}
	for i := range entries {
		e := &entries[i]
		kind := n.kinds[e.Obj]
		if e.Size > 0 && e.Value == "" && (kind.Class != expr.Unknown || !stack.Standard(e.File)) {
			e.Value = decode(kind, e)
		}
	}
	return names.Of, true
}

// Object returns the name of the object of an entry in reports.
func Object(e *exec.Entry) string { return cmp.Or(e.Expr, e.Obj) }

// Names are names for the objects of a record, by label.
type Names map[string]string

// Of returns the name of the object with a label, the label itself if it has none.
func (n Names) Of(label string) string { return cmp.Or(n[label], label) }

// Alike returns the entries with objects of the same kinds as those with the labels. Objects of
// different kinds are named independently.
func Alike(labels []string, entries []exec.Entry) []exec.Entry {
	kinds := make(map[string]bool)
	for _, label := range labels {
		kinds[KindOf(label)] = true
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e exec.Entry) bool { return e.Obj == "" || !kinds[KindOf(e.Obj)] })
}

// KindOf returns the kind of object in a label.
func KindOf(label string) string {
	kind, _, _ := strings.Cut(label, " ")
	return kind
}

// NamesOf returns names for the objects of a record, by label.
func (n *Search) NamesOf(entries []exec.Entry) Names {
	for i := range entries {
		n.want(entries[i].Stack)
	}
	var order []string                          // labels, in order of appearance
	writers := make(map[string]map[string]bool) // the goroutines that write an object
	for i := range entries {
		e := &entries[i]
		if e.Kind == trace.OpWrite {
			if writers[e.Obj] == nil {
				writers[e.Obj] = make(map[string]bool)
			}
			writers[e.Obj][e.Name] = true
		}
		label := e.Obj
		if e.Took != nil {
			label = e.Took.Obj
		}
		if label == "" || len(e.Stack) == 0 {
			continue
		}
		name := n.nameAt(e)
		if name.text == "" {
			continue
		}
		if n.votes[label] == nil {
			n.votes[label] = make(map[string]int)
			order = append(order, label)
		}
		n.votes[label][name.text] += name.weight
	}
	// Of several objects with one name, the one that most goroutines write gets the name without
	// a number, and then the one with most votes: entries of a map, and not the field with the map.
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Or(len(writers[b])-len(writers[a]), highest(n.votes[b])-highest(n.votes[a]))
	})
	for i := range entries {
		// Where the source does not tell, the address may.
		if e := &entries[i]; e.Variable != "" && n.votes[e.Obj] == nil {
			n.votes[e.Obj] = map[string]int{e.Variable: 1}
			order = append(order, e.Obj)
		}
	}
	// A variable and the channel in it may have one name: the operation tells them apart.
	names, taken := make(Names), make(map[[2]string]int)
	for _, label := range order {
		name := most(n.votes[label])
		kind := KindOf(label)
		taken[[2]string{kind, name}]++
		if k := taken[[2]string{kind, name}]; k > 1 {
			name = fmt.Sprintf("%s#%d", name, k)
		}
		names[label] = name
	}
	return names
}

// most returns the name with most votes, and of several the shortest.
func most(votes map[string]int) string {
	return slices.MinFunc(slices.Collect(maps.Keys(votes)), func(a, b string) int {
		return cmp.Or(votes[b]-votes[a], len(a)-len(b), cmp.Compare(a, b))
	})
}

func highest(votes map[string]int) int { return slices.Max(slices.Collect(maps.Values(votes))) }

// Search looks up names of objects in the source, and caches the files that it has read.
type Search struct {
	set   *token.FileSet
	files map[string]*sourceFile
	kinds map[string]expr.Kind     // of objects that are memory, by label
	packs map[string]*expr.Package // by folder and name
	seen  map[usage]calling
	votes map[string]map[string]int // by label and name

	asked  map[*exec.Call]bool // stacks with lines that are wanted, by their first call
	wanted map[string][]int    // lines to be parsed with the functions around them, by file
}

// New returns a search with an empty cache.
func New() *Search {
	return &Search{
		set:   token.NewFileSet(),
		files: make(map[string]*sourceFile),
		kinds: make(map[string]expr.Kind),
		packs: make(map[string]*expr.Package),
		seen:  make(map[usage]calling),
		votes: make(map[string]map[string]int),

		asked:  make(map[*exec.Call]bool),
		wanted: make(map[string][]int),
	}
}

// usage is the use of an object of some kind, on a stack.
type usage struct {
	stack    *exec.Call
	op, kind string
	number   int // of the case of a select
}

// calling is the name of an object at some place, "" if it is unknown, and the weight of its
// vote.
type calling struct {
	text   string
	weight int
}

// nameAt returns the name of the object of an entry, or of the case of a select, at the entry's
// place.
func (n *Search) nameAt(e *exec.Entry) calling {
	u := usage{stack: &e.Stack[0], op: e.Op(), kind: KindOf(e.Obj)}
	if e.Took != nil {
		u.op, u.kind, u.number = e.Took.Op(), KindOf(e.Took.Obj), e.Took.Number
	}
	name, ok := n.seen[u]
	if ok {
		return name
	}
	calls := e.Stack
	if line := n.CaseLine(e); line > 0 {
		calls = slices.Clone(calls)
		calls[0].Line = line
	}
	name = n.find(calls, u.op, u.kind)
	n.seen[u] = name
	return name
}

// CaseLine returns the line of the case that a select has taken, 0 if it is not known or e is of no
// select.
func (n *Search) CaseLine(e *exec.Entry) int {
	if e.Took == nil || len(e.Stack) == 0 {
		return 0
	}
	n.want(e.Stack)
	f := n.file(e.Stack[0].File)
	if f == nil {
		return 0
	}
	return f.caseLine(e.Stack[0].Line, e.Took)
}

func (n *Search) find(calls []exec.Call, op, kind string) calling {
	n.want(calls)
	found := n.expression(calls[0].File, calls[0].Line, op, kind)
	if found == nil {
		return calling{}
	}
	if kind == "memory" {
		found = n.whole(calls[0].File, found)
	}
	x, param := n.resolve(found, calls)
	name := text(x)
	if len(name) > longestName || strings.Contains(name, "\n") {
		return calling{}
	}
	weight := 2
	if param || kind == "memory" && op == "write" && n.file(calls[0].File).vague(calls[0].Line) {
		weight = 1
	}
	if x != found || !stack.Standard(calls[0].File) {
		weight *= ofProgram
	}
	return calling{name, weight}
}

// ofProgram is the weight of a name from the program's source, relative to one from the
// standard library, which readers do not know.
const ofProgram = 1 << 20

// expression returns the only expression on a line that the operation may use, nil if there is
// none or several.
func (n *Search) expression(file string, line int, op, kind string) ast.Expr {
	f := n.file(file)
	if f == nil {
		return nil
	}
	uses := f.uses(line, op, kind)
	if len(uses) == 0 {
		uses = f.deferred(line, kind)
	}
	var found []ast.Expr
	for _, x := range uses {
		if !slices.ContainsFunc(found, func(y ast.Expr) bool { return text(x) == text(y) }) {
			found = append(found, x)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// resolve replaces the parameter at the beginning of an expression by the argument for it, as
// far up the stack as possible. param says that the result still begins with a parameter, which
// stands for other objects in other calls.
func (n *Search) resolve(x ast.Expr, stack []exec.Call) (as ast.Expr, param bool) {
	for i := range stack {
		root, callee := rootOf(x), n.file(stack[i].File)
		if root == nil || callee == nil {
			return x, false
		}
		fn := callee.functionAt(stack[i].Line)
		if fn == nil || fn.receiver != root.Name && !slices.Contains(fn.params, root.Name) {
			return x, false
		}
		if i+1 == len(stack) {
			break
		}
		caller := n.file(stack[i+1].File)
		if caller == nil {
			break
		}
		arg := caller.argument(stack[i+1].Line, fn, root.Name)
		if arg == nil || !isPlain(arg) {
			break
		}
		x = substitute(x, root, arg)
	}
	return x, true
}

// file returns a source file, nil if it cannot be read.
func (n *Search) file(name string) *sourceFile {
	name = OnDisk(name)
	f, ok := n.files[name]
	if !ok {
		f = n.parse(name)
		n.files[name] = f
	}
	return f
}
