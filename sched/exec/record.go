package exec

import (
	"cmp"
	"reflect"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// recorder keeps what a report shows of an execution. An execution may be millions of lines long,
// and is never shown as a whole: what is far from its beginning, from its end and from where it
// fails is left out. Until they are asked for, lines hold numbers instead of positions and names,
// which are dear.
type recorder struct {
	on      bool
	tapes   [3]tape // up to the first failure, up to the harness's or the machine's, and after that
	latest  []spot  // of every goroutine: the line of its latest operation
	objects map[int32]string
	memory  map[unsafe.Pointer]string // names of memory that is known by address
	targets map[unsafe.Pointer]int    // numbers of what pointers lead to that are values
	users   map[uintptr]user          // of words of memory
	used    int                       // how many accesses of memory there were
	count   map[string]int
	places  map[uintptr]placing
	stacks  stacks
	walked  map[string]calls   // by the frames on a goroutine's stack
	callers map[string]uintptr // the innermost call of the program, by the same; 0 for none
	asked   []int32            // of every goroutine: the stack of its latest request
	written []written          // of every goroutine: its latest write of memory, until that is done
	held    []heldLock         // that main has taken alone
	failing atomic.Bool        // the harness has seen the execution fail
	faults  []string           // that have come
	until   int                // with Options.RecordFrom, the event up to which a fault is followed
	skipped int                // operations since the latest line, of which there is none
}

// line is an Entry without its name and position.
type line struct {
	Entry
	pc    uintptr
	stack int32          // number of the stack, 0 for none
	p     unsafe.Pointer // of an access of memory that is no event
	size  uintptr
}

// user is the goroutine that has used a word of memory.
type user struct {
	g      trace.ID
	shared bool // by others, too
}

// mostWords is how many words of one access are looked at.
const mostWords = 64

// spot says where a line is.
type spot struct{ tape, line int }

func (r *recorder) reset(on bool) {
	r.on = on
	if !on {
		return
	}
	r.tapes, r.latest, r.faults = [3]tape{}, r.latest[:0], nil
	r.until, r.skipped = 0, 0
	r.objects = make(map[int32]string)
	r.memory = make(map[unsafe.Pointer]string)
	r.targets = make(map[unsafe.Pointer]int)
	r.users, r.used = make(map[uintptr]user), 0
	r.count = make(map[string]int)
	r.places = make(map[uintptr]placing)
	r.stacks.reset()
	r.walked = make(map[string]calls)
	r.asked, r.written, r.held = r.asked[:0], r.written[:0], r.held[:0]
	r.failing.Store(false)
}

// The lines of a tape that are kept.
const (
	firstLines = 5_000  // from its beginning
	lastLines  = 10_000 // and up to its end
)

// tape is a sequence of lines, the middle of which is left out if it is long. Faults are not left
// out.
type tape struct {
	lines  []line
	n      int           // lines ever added
	faults map[int]*line // of the middle
}

// place returns where line i is kept, or was.
func (t *tape) place(i int) int {
	if i < firstLines {
		return i
	}
	return firstLines + (i-firstLines)%lastLines
}

func (t *tape) add(l line) {
	if i := t.place(t.n); i < len(t.lines) {
		if was := t.lines[i]; was.Kind == trace.OpFault && was.Step >= 0 {
			if t.faults == nil {
				t.faults = make(map[int]*line)
			}
			t.faults[t.n-lastLines] = &was
		}
		t.lines[i] = l
	} else {
		t.lines = append(t.lines, l)
	}
	t.n++
}

// at returns line i, nil if it has been left out.
func (t *tape) at(i int) *line {
	if i >= t.n || i >= firstLines && i < t.n-lastLines {
		return t.faults[i]
	}
	return &t.lines[t.place(i)]
}

// Failing says that the harness has seen the execution fail: the record of what
// leads up to here is kept, however long the execution goes on.
func (c *Closure) Failing() { c.record.failing.Store(true) }

// Record returns the latest execution, if it was run with [Options.Record]: its
// first 5,000 lines and its last 10,000, and as many around its first failure.
// [Entry.Omitted] says where something was left out. Accesses of memory that no other goroutine has
// used are not in it, unless they are events. After 200,000 accesses, those of memory that no other
// goroutine has used so far are not in it either.
func (c *Closure) Record() []Entry {
	var out []Entry
	vars := make(variables)
	stacks := c.record.stacks.calls()
	for t := range c.record.tapes {
		omitted := 0
		for i := range c.record.tapes[t].n {
			l := c.record.tapes[t].at(i)
			if l == nil {
				omitted++
				continue
			}
			e := l.Entry
			if l.p != nil {
				if !c.record.shared(l) {
					continue
				}
				e.Obj, e.Variable = c.record.nameAt(l.p), vars.at(l.p)
			}
			e.Name, e.Omitted = c.m.NameOf(c.m.Goroutines[e.G]), e.Omitted+omitted
			omitted = 0
			if l.pc != 0 {
				e.File, e.Line, e.Func = format.Place(l.pc)
				e.Stack = stacks[l.stack]
			}
			out = append(out, e)
		}
	}
	return out
}

// add adds a line and returns where it is.
func (r *recorder) add(c *Closure, l line) spot {
	k := 0
	if len(c.m.Failures) > 0 {
		k++
	}
	if r.failing.Load() {
		k++
	}
	if k > 0 && l.Step < 0 && r.tapes[k].n == 0 {
		k = r.last() // it belongs to the event that has failed
	}
	l.Omitted, r.skipped = r.skipped, 0
	r.tapes[k].add(l)
	return spot{k, r.tapes[k].n - 1}
}

// last returns the tape of the latest line.
func (r *recorder) last() int {
	for k := len(r.tapes) - 1; k > 0; k-- {
		if r.tapes[k].n > 0 {
			return k
		}
	}
	return 0
}

func (r *recorder) perform(c *Closure, g *machine.Goroutine) {
	r.showHeld(c)
	e := Entry{Step: c.m.Events.Count, G: g.ID, Kind: g.Op.Kind}
	if _, ok := g.Req.Obj.(*machine.Block); ok {
		e.Obj = r.nameAt(g.Req.Mem.P)
	} else if g.Req.Obj != nil {
		e.Obj = r.name(g.Req.Obj)
	} else if nilChannel, op := g.OnNil(); nilChannel {
		e.Kind, e.Value = op, "nil channel"
	}
	for len(r.latest) <= int(g.ID) {
		r.latest = append(r.latest, spot{line: -1})
	}
	r.latest[g.ID] = r.add(c, line{Entry: e, pc: g.Op.PC, stack: r.askedBy(g)})
}

// afterFault is how many events are recorded from a fault on, with Options.RecordFrom.
const afterFault = 1000

// turn turns recording on or off before g's next event, with Options.RecordFrom. Between two
// stretches the latest lines of goroutines are not those of their latest operations.
func (r *recorder) turn(c *Closure, g *machine.Goroutine) {
	n := c.m.Events.Count
	if g.Op.Kind == trace.OpFault {
		r.until = n + afterFault
	}
	on := n >= c.opt.RecordFrom || n < r.until
	if on && !c.m.Record {
		for i := range r.latest {
			r.latest[i].line = -1
		}
	} else if !on {
		r.skipped++
	}
	c.m.Record = on
}

// ask notes the stack on which g makes a request.
func (r *recorder) ask(g *machine.Goroutine, stack int32) {
	r.settle(g)
	for len(r.asked) <= int(g.ID) {
		r.asked = append(r.asked, 0)
	}
	r.asked[g.ID] = stack
}

func (r *recorder) askedBy(g *machine.Goroutine) int32 {
	if int(g.ID) >= len(r.asked) {
		return 0
	}
	return r.asked[g.ID]
}

// name returns how reports call an object: its kind and a number of its own.
func (r *recorder) name(o machine.Object) string {
	if k, ok := o.(*machine.KeyState); ok {
		o = k.Of // a key goes by the name of its map
	}
	if p, ok := o.(*machine.PoolState); ok && p.Whole != nil {
		o = p.Whole
	}
	id := o.Head().ID
	if name, ok := r.objects[id]; ok {
		return name
	}
	name := ""
	if o, ok := o.(interface{ Label() string }); ok {
		name = o.Label()
	}
	if name == "" || r.count[name] > 0 {
		name = r.newName(cmp.Or(name, o.Kind()))
	} else {
		r.count[name]++
	}
	r.objects[id] = name
	return name
}

// nameAt returns how reports call the memory that begins at p.
func (r *recorder) nameAt(p unsafe.Pointer) string {
	name, ok := r.memory[p]
	if !ok {
		name = r.newName("memory")
		r.memory[p] = name
	}
	return name
}

func (r *recorder) newName(kind string) string {
	r.count[kind]++
	return kind + " " + strconv.Itoa(r.count[kind])
}

// remark adds a line between events.
func (c *Closure) remark(g *machine.Goroutine, e Entry, pc uintptr) {
	if r := &c.record; r.on && c.m.Record {
		r.settle(g)
		e.Step, e.G = -1, g.ID
		l := line{Entry: e, pc: pc}
		if pc != 0 {
			_, l.stack = c.calls(g)
		}
		r.add(c, l)
	}
}

// mostPrivate is how many accesses of memory an execution has before those of memory that no other
// goroutine has used so far are no longer recorded: of a computation there are millions, and to
// find out where they are is dear.
const mostPrivate = 200_000

// uses notes that g uses memory, and reports whether the access is to be recorded.
func (r *recorder) uses(g *machine.Goroutine, p unsafe.Pointer, size uintptr) (recorded bool) {
	r.used++
	recorded = r.used <= mostPrivate
	for w := uintptr(p) / 8; w <= min((uintptr(p)+size-1)/8, uintptr(p)/8+mostWords); w++ {
		u, ok := r.users[w]
		if !ok {
			u.g = g.ID
		}
		if !ok || u.g != g.ID && !u.shared {
			u.shared = ok
			r.users[w] = u
		}
		recorded = recorded || u.shared
	}
	return recorded
}

// access adds a line for an access of memory that is no event.
func (r *recorder) access(c *Closure, g *machine.Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind, pc uintptr, stack int32) {
	r.settle(g)
	at := r.add(c, line{Entry: Entry{Step: -1, G: g.ID, Kind: kind}, pc: pc, stack: stack, p: p, size: size})
	r.word(g, at, p, size, kind == trace.OpWrite)
}

// written is a write of memory that is about to be made, by a line of the record.
type written struct {
	at   spot
	p    unsafe.Pointer
	size uintptr
}

// noMemory is below every address of a variable: what is accessed there is a field of
// nothing.
const noMemory = 1 << 16

// word notes what g reads at p, which is to be accessed next, or that it writes there.
func (r *recorder) word(g *machine.Goroutine, at spot, p unsafe.Pointer, size uintptr, write bool) {
	switch size {
	case 1, 2, 4, 8:
	default:
		return
	}
	if uintptr(p) < noMemory {
		return
	}
	for len(r.written) <= int(g.ID) {
		r.written = append(r.written, written{})
	}
	r.written[g.ID] = written{at, p, size}
	if !write {
		r.settle(g)
	}
}

// settle notes what g has written last: it has gone on since.
func (r *recorder) settle(g *machine.Goroutine) {
	if int(g.ID) >= len(r.written) || r.written[g.ID].p == nil {
		return
	}
	w := r.written[g.ID]
	r.written[g.ID] = written{}
	l := r.tapes[w.at.tape].at(w.at.line)
	if l == nil {
		return
	}
	if l.Vague = w.size == 1; l.Vague {
		w.size = 8 // or less: a variable does not begin in the middle of another one
		for uintptr(w.p)%w.size != 0 {
			w.size /= 2
		}
	}
	l.Size = int(w.size)
	switch w.size {
	case 1:
		l.Word = uint64(*(*uint8)(w.p))
	case 2:
		l.Word = uint64(*(*uint16)(w.p))
	case 4:
		l.Word = uint64(*(*uint32)(w.p))
	case 8:
		l.Word = *(*uint64)(w.p)
	}
}

// shared reports whether several goroutines have used what a line is about.
func (r *recorder) shared(l *line) bool {
	for w := uintptr(l.p) / 8; w <= min((uintptr(l.p)+l.size-1)/8, uintptr(l.p)/8+mostWords); w++ {
		if r.users[w].shared {
			return true
		}
	}
	return false
}

// waits marks the latest operation of g as one that is not granted at once.
func (r *recorder) waits(g *machine.Goroutine) {
	if l := r.latestOf(g); l != nil {
		l.Waits = true
	}
}

// value adds what g's latest operation has read, written, sent or received.
func (c *Closure) value(g *machine.Goroutine, v any) {
	if l := c.record.latestOf(g); l != nil {
		l.Value = c.show(v)
		if l.Kind == trace.OpFault {
			c.record.fault(g, whole(v, l.Value))
		}
		l.OK = v == true || l.Kind == trace.OpCAS && g.Reply.Ok
	}
}

// took adds to g's latest operation, a select, the case that it has taken.
func (r *recorder) took(g *machine.Goroutine) {
	l := r.latestOf(g)
	if l == nil {
		return
	}
	l.Took = &Case{Number: int(g.Reply.Chosen)}
	if l.Took.Number == len(g.Req.Cases) {
		return
	}
	k := &g.Req.Cases[g.Reply.Chosen]
	l.Took.Kind, l.Took.Obj = trace.OpRecv, r.name(k.Ch)
	if k.Send {
		l.Took.Kind = trace.OpSend
	}
	if !l.Waits {
		l.Took.Ready = int(g.Op.Alts)
	}
}

// show returns a value as text. Pointers are equal where their numbers are.
func (c *Closure) show(v any) string {
	text := shorten(c.m.Show(v))
	x := reflect.ValueOf(v)
	if !x.IsValid() || x.Kind() != reflect.Pointer && x.Kind() != reflect.UnsafePointer || x.IsNil() {
		return text
	}
	targets := c.record.targets
	n, ok := targets[x.UnsafePointer()]
	if !ok {
		n = len(targets) + 1
		targets[x.UnsafePointer()] = n
	}
	if x.Kind() == reflect.UnsafePointer {
		text = "pointer"
	}
	return text + " " + strconv.Itoa(n)
}

// shorten cuts a value, as text.
func shorten(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

// lastRemark adds a value to the latest line, if that is g's.
func (c *Closure) lastRemark(g *machine.Goroutine, v any) {
	t := &c.record.tapes[c.record.last()]
	if t.n == 0 {
		return
	}
	if l := t.at(t.n - 1); l.G == g.ID {
		l.Value = c.show(v)
	}
}

// latestOf returns the line of g's latest operation, nil if it was left out.
func (r *recorder) latestOf(g *machine.Goroutine) *line {
	if !r.on || int(g.ID) >= len(r.latest) || r.latest[g.ID].line < 0 {
		return nil
	}
	s := r.latest[g.ID]
	return r.tapes[s.tape].at(s.line)
}
