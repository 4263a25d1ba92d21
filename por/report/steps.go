package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// steps returns the execution step by step, with what matters of it for a ruling.
func (x *examination) steps(v ruling) []Step {
	matters, holder := x.cone(v.seeds), heldBy(x.entries)
	x.leaveSetup(matters, v.seeds)
	all := make([]Step, 0, len(x.entries))
	end := len(x.entries) // the entry that the headline is about, where it shows in one
	if x.failed >= 0 {
		for i := range x.entries {
			if x.entries[i].Step > x.failed {
				end = i - 1
				break
			}
		}
	}
	if n := len(v.seeds); v.bug == dataRace && n > 0 {
		end = v.seeds[n-1]
	}
	for i := range x.entries {
		e := &x.entries[i]
		_, preempts := slices.BinarySearch(x.Preempted, e.Step)
		s := Step{
			Number:    e.Step,
			Goroutine: e.Name,
			Op:        cmp.Or(fileCall(e), e.Op()),
			Object:    naming.Object(e),
			Value:     e.Value,
			Waits:     e.Waits,
			Preempts:  preempts && e.Step >= 0,
			Matters:   matters[i],
			Private:   x.private[i],
			After:     i > end,
			Omitted:   e.Omitted,
			kind:      e.Kind,
		}
		if e.Obj != s.Object {
			s.Label = e.Obj
		}
		s.Fails = slices.Contains(v.seeds, i) && (x.failed < 0 || e.Step == x.failed || isAccess(e.Kind))
		if e.Waits && isLock(e.Kind) {
			s.For = holder[i]
		}
		s.Private = s.Private || !s.Fails && x.inside(e)
		s.Stack = x.stack(e, !s.Private)
		x.takes(&s, e)
		if naming.KindOf(e.Obj) == hook.TestEndKind {
			s.Op, s.Object, s.Label, s.Value = "use t", "", "", ""
			if e.Kind == trace.OpStore {
				s.Op = "end of the test"
			}
		}
		s.Library = e.Step >= 0 && !e.Kind.OfSocket() && len(s.Stack) > 0 && (stack.Standard(s.Stack[0].File) || stack.Testing(e.Func))
		s.Matters = s.Matters || (s.Preempts || e.Kind == trace.OpFault) && !s.After
		if e.Kind == trace.OpUnlock && e.Waits {
			s.Waits = false // what waits is the Cond's Wait, once the lock is given up
			for k := len(all) - 1; k >= 0; k-- {
				if all[k].Goroutine == e.Name {
					all[k].Waits = true
					break
				}
			}
		}
		all = append(all, s)
	}
	return all
}

// takes adds to a step which case a select has taken. The step is shown at that case.
func (x *examination) takes(s *Step, e *exec.Entry) {
	if e.Took == nil {
		return
	}
	s.Case, s.Ready, s.Object = e.Took.Op(), e.Took.Ready, e.Took.Name()
	if e.Took.Obj != s.Object {
		s.Label = e.Took.Obj
	}
	line := x.names.CaseLine(e)
	if line == 0 || len(s.Stack) == 0 || s.Stack[0].Line != e.Stack[0].Line || s.Stack[0].File != e.Stack[0].File {
		return
	}
	at := x.frame(e.Stack[0].Func, e.Stack[0].File, line)
	at.Call, at.brief = s.Stack[0].Call, s.Stack[0].brief
	s.Stack = slices.Clone(s.Stack)
	s.Stack[0] = at
}

// fileCalls are the words for functions of package os that are called otherwise than what they do.
var fileCalls = map[string]string{"OpenFile": "open", "ReadAt": "read", "WriteTo": "read", "WriteAt": "write", "ReadFrom": "write"}

// fileCall returns what an operation on a file does, "" for other operations: "remove" for that of
// os.Remove.
func fileCall(e *exec.Entry) string {
	if e.Kind != trace.OpLoad && e.Kind != trace.OpStore || !strings.HasPrefix(e.Obj, `"`) || len(e.Stack) == 0 || stack.Package(e.Stack[0].Func) != "os" {
		return ""
	}
	name := e.Stack[0].Func[strings.LastIndex(e.Stack[0].Func, ".")+1:]
	return cmp.Or(fileCalls[name], strings.ToLower(name))
}

// inside reports whether an entry is an access of memory by the standard library, and no event.
// That other goroutines have to do with it shows in the library's locks, or in the calls.
func (x *examination) inside(e *exec.Entry) bool {
	return e.Step < 0 && isAccess(e.Kind) && stack.Standard(e.File)
}

// cone returns the entries that happen before some others, or are one of those, and that
// have to do with what several goroutines use. Two uses of the same object by different
// goroutines count as ordered unless both read, and so does what has ended a wait. A select
// may use any channel.
func (x *examination) cone(seeds []int) map[int]bool {
	c := cone{x: x, shared: x.shared(), grants: grants(x.entries), in: make(map[int]bool),
		forced: make(map[int]bool), goroutine: make(map[string]bool), used: make(map[string]bool), changed: make(map[string]bool)}
	k := len(seeds) - 1
	for i := len(x.entries) - 1; i >= 0; i-- {
		seed := c.forced[i]
		shown := false
		for ; k >= 0 && seeds[k] >= i; k-- {
			shown = shown || seeds[k] == i
		}
		if seed || shown || c.needs(i) {
			c.add(i, shown)
		}
	}
	return c.in
}

// cone is what is known of the entries from one on to the last.
type cone struct {
	x             *examination
	shared        map[string]bool
	grants        map[int]int
	in            map[int]bool
	forced        map[int]bool    // have to be in the cone
	goroutine     map[string]bool // an entry of it is in the cone
	used, changed map[string]bool // by object: an entry in the cone uses it, and changes it
	selects       bool            // a select is in the cone
}

// needs reports whether an entry happens before one that is in the cone.
func (c *cone) needs(i int) bool {
	e := &c.x.entries[i]
	switch {
	case c.goroutine[e.Name]:
		return true
	case e.Remark == exec.RemarkGo:
		return c.goroutine[e.Value]
	case c.selects && isChannelOp(e.Kind):
		return true
	case e.Obj == "" || c.x.private[i]:
		return false
	}
	return c.changed[e.Obj] || c.used[e.Obj] && !readsOnly(e.Kind)
}

// add adds an entry. Shown says that it is to be shown, whatever it is.
func (c *cone) add(i int, shown bool) {
	e := &c.x.entries[i]
	c.goroutine[e.Name] = true
	c.selects = c.selects || e.Kind == trace.OpSelect
	if k, ok := c.grants[i]; ok {
		c.forced[k] = true
	}
	if e.Obj != "" {
		c.used[e.Obj] = true
		c.changed[e.Obj] = c.changed[e.Obj] || !readsOnly(e.Kind)
	}
	switch {
	case shown:
	case e.Step < 0 && !isAccess(e.Kind), c.x.private[i], e.Obj == "" && quiet(e.Kind):
		return
	case e.Obj != "" && !c.shared[e.Obj] && !c.forced[i] && !isChannelOp(e.Kind):
		return
	}
	c.in[i] = true
}

func isChannelOp(op trace.Kind) bool {
	switch op {
	case trace.OpSend, trace.OpRecv, trace.OpClose, trace.OpSelect, trace.OpFire:
		return true
	}
	return false
}

// grants returns, for the entries that come after a wait, what has ended that: the last use of the
// same object by another goroutine, or else the last operation that may end a wait.
func grants(entries []exec.Entry) map[int]int {
	by := make(map[int]int)
	waiting := make(map[string]int)
	for i := range entries {
		e := &entries[i]
		if e.Step < 0 {
			continue
		}
		if w, ok := waiting[e.Name]; ok {
			delete(waiting, e.Name)
			for k := i - 1; k > w; k-- {
				g := &entries[k]
				if g.Step < 0 || g.Name == e.Name || !endsWait(g.Kind) && (g.Obj == "" || g.Obj != entries[w].Obj) {
					continue
				}
				if _, found := by[i]; !found {
					by[i] = k
				}
				if g.Obj == entries[w].Obj {
					by[i] = k
					break
				}
				if i-k > farGrant {
					break
				}
			}
		}
		if e.Waits {
			waiting[e.Name] = i
		}
	}
	return by
}

// farGrant is how many entries before the end of a wait what has ended it is looked for.
const farGrant = 1000

func endsWait(op trace.Kind) bool {
	switch op {
	case trace.OpSend, trace.OpRecv, trace.OpClose, trace.OpSelect, trace.OpFire, trace.OpCancel, trace.OpUnlock, trace.OpRUnlock, trace.OpWGDone, trace.OpSignal, trace.OpBroadcast:
		return true
	}
	return false
}

// heldBy returns, for the entries that have to wait for a lock, the goroutine that holds it then.
// Of several readers it knows the last.
func heldBy(entries []exec.Entry) map[int]string {
	by := make(map[int]string)
	holder, queue := make(map[string]string), make(map[string][]string)
	for i := range entries {
		switch e := &entries[i]; {
		case e.Step < 0:
		case isLock(e.Kind) && e.Waits:
			by[i] = holder[e.Obj]
			queue[e.Obj] = append(queue[e.Obj], e.Name)
		case isLock(e.Kind), (e.Kind == trace.OpTryLock || e.Kind == trace.OpTryRLock) && e.OK:
			holder[e.Obj] = e.Name
		case e.Kind == trace.OpUnlock || e.Kind == trace.OpRUnlock:
			holder[e.Obj] = ""
			if q := queue[e.Obj]; len(q) > 0 {
				holder[e.Obj], queue[e.Obj] = q[0], q[1:]
			}
		}
	}
	return by
}

// quiet reports whether an operation without an object is of interest only where it waits.
func quiet(op trace.Kind) bool {
	return op == trace.OpYield || op == trace.OpNow || op == trace.OpAdvance
}

func readsOnly(op trace.Kind) bool {
	switch op {
	case trace.OpRead, trace.OpLoad, trace.OpLen, trace.OpCtxErr, trace.OpNow:
		return true
	}
	return false
}

// shared returns the objects that several goroutines use.
func (x *examination) shared() map[string]bool {
	by, shared := make(map[string]string), make(map[string]bool)
	for i := range x.entries {
		e := &x.entries[i]
		if e.Obj == "" {
			continue
		}
		if who, ok := by[e.Obj]; ok && who != e.Name {
			shared[e.Obj] = true
		}
		by[e.Obj] = e.Name
	}
	return shared
}

// privateMemory returns the entries, other than events, that access memory which one goroutine
// uses, or which none has written since another goroutine that uses it was started: whatever the
// schedule, they find the same there.
func privateMemory(entries []exec.Entry) map[int]bool {
	type use struct {
		users       map[string]bool
		writer      string
		lastWritten int
	}
	isMemory := func(e *exec.Entry) bool { return e.Step < 0 && isAccess(e.Kind) }
	uses, started := make(map[string]*use), make(map[string]int)
	for i := range entries {
		e := &entries[i]
		if _, ok := started[e.Name]; !ok {
			started[e.Name] = i
		}
		if e.Remark == exec.RemarkGo {
			started[e.Value] = i
		}
		if !isMemory(e) {
			continue
		}
		u := uses[e.Obj]
		if u == nil {
			u = &use{users: make(map[string]bool), lastWritten: -1}
			uses[e.Obj] = u
		}
		if u.users[e.Name] = true; e.Kind != trace.OpRead {
			u.writer, u.lastWritten = e.Name, i
		}
	}
	decides := make(map[string]bool)
	for object, u := range uses {
		for name := range u.users {
			decides[object] = decides[object] || name != u.writer && started[name] < u.lastWritten
		}
	}
	private := make(map[int]bool)
	for i := range entries {
		if e := &entries[i]; isMemory(e) && !decides[e.Obj] {
			private[i] = true
		}
	}
	return private
}
