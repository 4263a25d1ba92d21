package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// ruling is what an examination says of one failure.
type ruling struct {
	bug, headline, cause string
	late                 bool // the cause is a write that comes too late
	at                   Frame
	parties              []Party
	remarks              []string
	seeds                []int // the entries that the failure is about, ascending
	// goesOn is the goroutine that only ticks in an execution that hangs, "" for none.
	goesOn  string
	repeats bool // the execution hangs since main does the same again and again
	history string
}

// judge says what kind of bug a failure is, and which goroutines have to do with it.
func (x *examination) judge(f trace.Failure) ruling {
	line := f
	if f.Kind == trace.FailPanic || f.Kind == trace.FailFatal {
		line.Msg = format.FirstLine(f.Msg) // that of a mock begins with empty lines
	}
	v := ruling{bug: f.Kind.String(), headline: line.String()}
	switch f.Kind {
	case trace.FailDeadlock, trace.FailLeak:
		x.judgeWaits(&v, f)
	case trace.FailRace:
		x.judgeRace(&v, f)
	case trace.FailPanic, trace.FailFatal:
		x.judgePanic(&v, f)
	case trace.FailAssertion:
		x.judgeAssertion(&v, f)
	case trace.FailSteps, trace.FailLong:
		x.judgeLivelock(&v, f)
	case trace.FailHistory, trace.FailOutcome:
		x.judgeCalls(&v, f)
	}
	slices.Sort(v.seeds)
	return v
}

// kindOf returns the kind of a failure, with the part of the program that it is of.
func kindOf(f trace.Failure) string {
	if f.Part != "" {
		return f.Kind.String() + " in " + f.Part
	}
	return f.Kind.String()
}

// judgeWaits speaks of goroutines that wait for ever.
func (x *examination) judgeWaits(v *ruling, f trace.Failure) {
	if f.Waits != nil {
		v.parties, v.remarks = x.waiters(f.Waits), f.Waits.Remarks()
	}
	w := x.waits
	w.over = true
	bug, about, who := w.kind()
	switch {
	case isHang(f):
		x.judgeHang(v, f, bug, about)
	case bug != "":
		v.bug = f.Kind.String() + bug
		v.headline = kindOf(f) + bug + ": " + about
	case f.Kind == trace.FailLeak && len(v.parties) > 0:
		v.headline = kindOf(f) + ": " + x.leakedInShort(v.parties)
	case f.Kind == trace.FailDeadlock && len(v.parties) > 0:
		v.headline += ": " + inShort(v.parties)
	}
	if who == nil {
		who = slices.DeleteFunc(w.names(), func(name string) bool { return name == v.goesOn })
	}
	for _, name := range who {
		if p, ok := x.goneHolder(name); ok && bug == byForgotten {
			v.parties = append(v.parties, p)
		}
	}
	slices.SortStableFunc(v.parties, func(p, q Party) int {
		return oneIf(slices.Contains(who, q.Goroutine)) - oneIf(slices.Contains(who, p.Goroutine))
	})
	lock := false
	objects := make(map[string]bool)
	for _, name := range who {
		i, ok := w.last[name]
		if !ok {
			continue
		}
		v.seeds = append(v.seeds, i)
		v.seeds = append(v.seeds, w.holds[name]...)
		objects[x.entries[i].Obj] = true
		lock = lock || isLock(x.entries[i].Kind)
	}
	if bug != byLockOrder && bug != byItself && bug != byOnce {
		// What other goroutines have done with it last is why none ends the wait.
		v.seeds = append(v.seeds, x.lastUses(objects)...)
	}
	slices.Sort(v.seeds)
	v.seeds = slices.Compact(v.seeds)
	for _, p := range v.parties {
		if n := len(p.Acts); n > 0 && len(p.Acts[n-1].Stack) > 0 {
			v.at = outside(p.Acts[n-1].Stack)
			break
		}
	}
}

// inShort says what some goroutines that wait do, those together that do the same. Where there is
// not room for all of them, different operations come first.
func inShort(parties []Party) string {
	const most = 3
	var first, rest []*trace.Wait // what they do, once each
	names := make(map[string][]string)
	ops := make(map[string]bool)
	for _, p := range parties {
		if names[p.Does] == nil {
			if op := p.wait.Operation(); !ops[op] {
				ops[op] = true
				first = append(first, p.wait)
			} else {
				rest = append(rest, p.wait)
			}
		}
		names[p.Does] = append(names[p.Does], p.Goroutine)
	}
	var said []string
	others := 0
	for i, w := range append(first, rest...) {
		names, verb := names[w.Text()], w.Verb()
		switch {
		case i >= most:
			others += len(names)
			continue
		case len(names) == 1:
			verb += "s"
		}
		said = append(said, format.Several(names)+" "+verb+w.Rest())
	}
	if others > 0 {
		said = append(said, format.Counted(int64(others), "other"))
	}
	return strings.Join(said, ", ")
}

// goneHolder returns the holder of the lock that a goroutine waits for, if the holder has ended.
func (x *examination) goneHolder(name string) (Party, bool) {
	lock := x.waits.request(name).Obj
	for _, by := range x.waits.holders(name) {
		if e := x.waits.held(by, lock); e != nil && x.waits.gone(by) {
			return Party{Goroutine: by, Does: "has locked " + naming.Object(e) + ", and has ended", Acts: []Act{{Stack: x.stackOf(e)}}}, true
		}
	}
	return Party{}, false
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lastUses returns, of every goroutine, the last entry that uses one of the objects.
func (x *examination) lastUses(objects map[string]bool) (found []int) {
	seen := make(map[string]bool)
	for i, e := range slices.Backward(x.entries) {
		if e.Step >= 0 && e.Obj != "" && objects[e.Obj] && !seen[e.Name] {
			seen[e.Name] = true
			found = append(found, i)
		}
	}
	return found
}

// waiters returns the goroutines that wait.
func (x *examination) waiters(waits *trace.Waits) (parties []Party) {
	for i := range waits.Goroutines {
		w := &waits.Goroutines[i]
		p := x.waiter(w.Name, w.Text())
		p.wait = w
		parties = append(parties, p)
	}
	return parties
}

// waiter returns a goroutine that waits as does says, with the locks that it holds.
func (x *examination) waiter(name, does string) Party {
	p := Party{Goroutine: name, Does: does}
	i, ok := x.waits.last[name]
	if !ok {
		return p
	}
	e := &x.entries[i]
	for _, k := range x.waits.holds[name] {
		held := &x.entries[k]
		does := "holds "
		if held.Kind == trace.OpOnce {
			does = "runs "
		}
		p.Acts = append(p.Acts, Act{Does: does + naming.Object(held), Stack: x.stackOf(held)})
	}
	wants := "waits"
	if isLock(e.Kind) || e.Kind == trace.OpOnce {
		wants = "wants " + naming.Object(e)
	}
	p.Acts = append(p.Acts, Act{Does: wants, Stack: x.stackOf(e)})
	return p
}

func isLock(op trace.Kind) bool { return op == trace.OpLock || op == trace.OpRLock }

func isReadLock(op trace.Kind) bool { return op == trace.OpRLock || op == trace.OpTryRLock }

// dataRace is what a bug is called that is one.
var dataRace = trace.FailRace.String()

// judgeRace speaks of the two accesses of a data race.
func (x *examination) judgeRace(v *ruling, f trace.Failure) {
	if f.Race == nil || f.Race.Earlier.At.File == "" {
		return
	}
	for _, a := range []*trace.RacingAccess{&f.Race.Later, &f.Race.Earlier} {
		p := Party{Goroutine: a.Name, Does: a.Does}
		act := Act{}
		if i := x.accessAt(a, f.Race.Object); i >= 0 {
			e := &x.entries[i]
			v.seeds = append(v.seeds, i)
			act.Stack = x.stackOf(e)
			p.Does = inWords(e) + x.holding(i)
		} else {
			act.Stack = x.framesAt(a)
		}
		p.Acts = []Act{act}
		v.parties = append(v.parties, p)
		if v.at.File == "" && len(act.Stack) > 0 {
			v.at = outside(act.Stack)
		}
	}
}

// accessAt returns the last entry that is an access of a data race, on an object of that name if
// there is one, -1 if there is none.
func (x *examination) accessAt(a *trace.RacingAccess, of string) int {
	found := -1
	for i, e := range slices.Backward(x.entries) {
		if e.Name != a.Name || e.Line != a.At.Line || e.File != a.At.File || !isRacing(&e, a) {
			continue
		}
		if naming.Object(&e) == of {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

func isAccess(op trace.Kind) bool {
	switch op {
	case trace.OpRead, trace.OpWrite, trace.OpUpdate, trace.OpTransfer:
		return true
	}
	return false
}

// isRacing reports whether an entry, at the line of an access of a data race, may be that access.
func isRacing(e *exec.Entry, a *trace.RacingAccess) bool {
	switch {
	case e.Remark != 0 || a.Kind == trace.OpNone:
		return false
	case e.Kind == trace.OpUpdate || e.Kind == trace.OpTransfer:
		return isAccess(a.Kind)
	}
	return e.Kind == a.Kind
}

// holding says which locks the goroutine of an entry holds then.
func (x *examination) holding(i int) string {
	w := waitsOf(x.entries[:i])
	var held []string
	for _, k := range w.holds[x.entries[i].Name] {
		lock := naming.Object(&w.entries[k])
		if isReadLock(w.entries[k].Kind) {
			lock += " for reading"
		}
		held = append(held, lock)
	}
	if len(held) == 0 {
		return ""
	}
	return ", holding " + strings.Join(held, " and ")
}

// framesAt returns the calls that have led to an access.
func (x *examination) framesAt(a *trace.RacingAccess) []Frame {
	frames := []Frame{x.frame("", a.At.File, a.At.Line)}
	for _, c := range a.Calls {
		frames = append(frames, x.frame(c.Func, c.File, c.Line))
	}
	return frames
}

// nameOf returns how a goroutine is called, "" if it does not appear.
func (x *examination) nameOf(g trace.ID) string {
	for i := range x.entries {
		if x.entries[i].G == g {
			return x.entries[i].Name
		}
	}
	return ""
}

// framesOf returns the user's frames of a stack that the runtime has written, innermost
// first.
func (x *examination) framesOf(text string) (user []Frame) {
	for _, f := range stack.Own(stack.Frames(text)) {
		if !f.Created && f.User() && stack.IsUsers(f.Function, f.File) {
			user = append(user, x.frame(f.Function, f.File, f.Line))
		}
	}
	return user
}

// judgeAssertion speaks of what a test has reported.
func (x *examination) judgeAssertion(v *ruling, f trace.Failure) {
	v.bug = "wrong result"
	i := x.entryOf(f.Step)
	end := len(x.entries)
	if i >= 0 {
		for end = i + 1; end < len(x.entries) && x.entries[end].Step < 0; end++ {
		}
		v.seeds = []int{i}
	}
	if k := x.lastOf(x.nameOf(f.G), end); k >= 0 {
		v.seeds = append(v.seeds, k)
	}
	frames := x.framesOf(f.Stack)
	for len(frames) > 1 && (frames[0].File != f.At.File || frames[0].Line != f.At.Line) {
		frames = frames[1:] // it has called Helper
	}
	if name := x.nameOf(f.G); len(frames) > 0 {
		v.at = frames[0]
		if len(frames) > 1 || name != "main" {
			v.parties = []Party{{Goroutine: name, Does: "reports it", Acts: []Act{{Stack: frames}}}}
		}
	}
	if cause, uses := x.atomicity(end); cause != "" {
		v.cause, v.seeds = cause, append(v.seeds, uses...)
		v.bug = "broken atomicity"
		v.headline = kindOf(f) + " by broken atomicity: " + f.Msg
	} else if v.cause = x.tooLate(x.nameOf(f.G), end); v.cause != "" {
		v.late = true
	}
}

// tooLate says which write comes only after the latest read of a goroutine before the entry at end,
// "" if there is none: the read is of what another goroutine writes later, and of nothing that
// another one has written before.
func (x *examination) tooLate(name string, end int) string {
	for i, e := range slices.Backward(x.entries[:end]) {
		if e.Name != name || !readsData(&e) || e.File == "" || x.private[i] {
			continue
		}
		if c := x.writerOf(i); c >= 0 && x.entries[c].Name != name {
			return "" // it has read what there is to be read
		}
		for _, late := range x.entries[end:] {
			if late.Obj == e.Obj && late.Name != name && writesData(&late) && late.File != "" {
				return fmt.Sprintf("too late: %s %s (%s) after %s %s (%s)", late.Name, inWords(&late), x.place(&late), name, inWords(&e), x.place(&e))
			}
		}
		return ""
	}
	return ""
}

// judgeCalls speaks of calls that are not right together. All that they have done matters.
func (x *examination) judgeCalls(v *ruling, f trace.Failure) {
	v.history = f.History
	v.cause, _ = x.atomicity(len(x.entries))
	seen := make(map[string]bool)
	for i := range x.entries {
		if name := x.entries[i].Name; !seen[name] {
			seen[name] = true
			if k := x.lastOf(name, len(x.entries)); k >= 0 {
				v.seeds = append(v.seeds, k)
			}
		}
	}
}

// lastOf returns the last entry of a goroutine before one, -1 if there is none.
func (x *examination) lastOf(name string, end int) int {
	for i := end - 1; i >= 0; i-- {
		if e := &x.entries[i]; e.Name == name && (e.Step >= 0 || isAccess(e.Kind)) && !x.private[i] {
			return i
		}
	}
	return -1
}

// atomicity looks for two uses of something by a goroutine, the first of which reads it, between
// which the goroutine was preempted, or has handed a lock over, and another one has changed it:
// check, then act. It says so of the last such uses before the entry at end, "" if there are none,
// and returns the entries: the uses and the change.
func (x *examination) atomicity(end int) (cause string, uses []int) {
	latest := make(map[[2]string]int) // by goroutine and object: its latest use
	change := make(map[string]int)    // by object: the latest entry that changes it
	// The entries before which another goroutine could have gone on.
	var preempted []int
	best, from, by := -1, -1, -1
	for i := range x.entries[:end] {
		e := &x.entries[i]
		if _, yes := slices.BinarySearch(x.Preempted, e.Step); yes && e.Step >= 0 {
			preempted = append(preempted, i)
		}
		r, w := readsData(e), writesData(e)
		if e.Obj == "" || e.File == "" || !r && !w || x.private[i] {
			continue // none of the program's
		}
		key := [2]string{e.Name, e.Obj}
		if k, ok := latest[key]; ok && readsData(&x.entries[k]) {
			if c, ok := change[e.Obj]; ok && c > k && x.entries[c].Name != e.Name && (x.cut(e.Name, preempted, k, c) || x.handedOver(k, c)) {
				if w || best < 0 || !writesData(&x.entries[best]) {
					best, from, by = i, k, c
				}
			}
		}
		latest[key] = i
		if w {
			change[e.Obj] = i
		}
	}
	if best < 0 {
		return "", nil
	}
	first, last, other := &x.entries[from], &x.entries[best], &x.entries[by]
	kind := "check, then act: "
	if !writesData(last) {
		kind = "two looks: "
	}
	cause = fmt.Sprintf("%s%s %s (%s) and %s (%s); in between %s %s (%s)", kind, first.Name, inWords(first), x.place(first),
		inWords(last), x.place(last), other.Name, inWords(other), x.place(other))
	return cause, []int{from, by, best}
}

// cut reports whether a goroutine was preempted between two entries, by one of some
// preemptions.
func (x *examination) cut(name string, preempted []int, from, to int) bool {
	return slices.ContainsFunc(preempted, func(p int) bool {
		return from < p && p <= to && x.entries[p-1].Name == name
	})
}

// handedOver reports whether the goroutine of the entry from has, after that, given up a lock for
// which the one of the entry to was waiting, which so went on first: that is no preemption, and
// cuts as well.
func (x *examination) handedOver(from, to int) bool {
	name, other := x.entries[from].Name, x.entries[to].Name
	for u := from + 1; u < to; u++ {
		e := &x.entries[u]
		if e.Name != name || e.Kind != trace.OpUnlock && e.Kind != trace.OpRUnlock {
			continue
		}
		for j := u - 1; j >= 0; j-- {
			if w := &x.entries[j]; w.Name == other && w.Obj == e.Obj {
				if isLock(w.Kind) && w.Waits {
					return true
				}
				break
			}
		}
	}
	return false
}

// verbs returns the verb for an operation.
func verbs(op trace.Kind) string {
	switch op {
	case trace.OpSend:
		return "sends on"
	case trace.OpRecv:
		return "receives from"
	case trace.OpCAS:
		return "compares and swaps"
	case trace.OpAdd, trace.OpWGAdd:
		return "adds to"
	case trace.OpWGWait:
		return "waits for"
	case trace.OpAnd, trace.OpOr:
		return "changes"
	case trace.OpTransfer:
		return "writes"
	}
	return op.String() + "s"
}

// inWords says what an entry does to a variable.
func inWords(e *exec.Entry) string {
	verb, object := verbs(e.Kind), naming.Object(e)
	if call := fileCall(e); call != "" {
		verb = call + "s"
	}
	return verb + " " + object + valued(object, e.Value)
}

// readsData reports whether an entry reads a variable, and acts on what it has read later. What a
// call of a test's method looks at is no variable.
func readsData(e *exec.Entry) bool {
	return (e.Kind == trace.OpRead || e.Kind == trace.OpLoad) && naming.KindOf(e.Obj) != hook.TestEndKind
}

// writesData reports whether an entry changes a variable.
func writesData(e *exec.Entry) bool {
	switch e.Kind {
	case trace.OpWrite, trace.OpStore, trace.OpUpdate, trace.OpTransfer, trace.OpAdd, trace.OpSwap, trace.OpAnd, trace.OpOr:
		return true
	case trace.OpCAS:
		return e.OK
	}
	return false
}
