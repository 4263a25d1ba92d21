package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

var modeNames = map[trace.Mode]string{
	trace.ModeRead: "read", trace.ModeWrite: "write",
	trace.ModeAcquire: "acquire", trace.ModeShare: "share", trace.ModeRelease: "release",
	trace.ModeUnshare: "unshare", trace.ModeTry: "try", trace.ModeTryShare: "tryshare",
	trace.ModeSend: "send", trace.ModeRecv: "recv", trace.ModeClose: "close", trace.ModeDeadSend: "deadsend", trace.ModeLook: "look",
	trace.ModeAdd: "add", trace.ModeAddLate: "addlate", trace.ModeDone: "done", trace.ModeWait: "wait", trace.ModeLooseDone: "loosedone",
	trace.ModeFirst: "first", trace.ModeLater: "later",
	trace.ModeKeyWrite: "keywrite", trace.ModeScan: "scan", trace.ModeClear: "clear",
	trace.ModeReadBytes: "readbytes", trace.ModeWriteBytes: "writebytes",
	trace.ModeAdd4Bytes: "add4bytes", trace.ModeAdd8Bytes: "add8bytes", trace.ModeAnd4Bytes: "and4bytes", trace.ModeAnd8Bytes: "and8bytes",
	trace.ModeOr4Bytes: "or4bytes", trace.ModeOr8Bytes: "or8bytes",
	trace.ModeAll: "all",
}

// pair is two modes, the lower one first.
type pair struct{ a, b trace.Mode }

func (p pair) String() string { return modeNames[p.a] + "-" + modeNames[p.b] }

func pairOf(a, b trace.Mode) pair { return pair{min(a, b), max(a, b)} }

// conflicts returns the pairs of modes that the relation declares dependent.
func conflicts() (ps []pair) {
	for b := range trace.ModeAll + 1 {
		for a := range b + 1 {
			if trace.Dependence.Conflict(trace.Access{Obj: 1, Mode: a}, trace.Access{Obj: 1, Mode: b}) {
				ps = append(ps, pair{a, b})
			}
		}
	}
	return ps
}

// without returns the relation with one pair declared independent.
func without(left pair) *trace.Relation {
	r := new(trace.Relation)
	for _, p := range conflicts() {
		switch {
		case p == left:
		case p == pair{trace.ModeRecv, trace.ModeClose}:
			r.AddIndexed(p.a, p.b)
		default:
			r.Add(p.a, p.b)
		}
	}
	return r
}

// kept tells why a pair is declared dependent that no program here shows to be.
var kept = map[pair]string{
	{trace.ModeAdd, trace.ModeAddLate}:     "the Wait between them orders them anyway; a finer rule would do",
	{trace.ModeAddLate, trace.ModeAddLate}: "plain caution; a finer rule would do",
	{trace.ModeFirst, trace.ModeFirst}:     "the call that comes second turns into a later one, but both can be pending",
	{trace.ModeRead, trace.ModeAll}:        allOfCell,
	{trace.ModeWrite, trace.ModeAll}:       allOfCell,
	{trace.ModeFirst, trace.ModeAll}:       allOfOnce,
	{trace.ModeLater, trace.ModeAll}:       allOfOnce,
}

const (
	allOfCell = "ModeAll depends on everything by definition; memory is not used that way"
	allOfOnce = "ModeAll depends on everything by definition; a Once is not used that way"
)

// TestDependentPairs looks for a program that shows why two modes have to depend
// on each other: with the pair left out, the exact test fails.
func TestDependentPairs(t *testing.T) {
	var programs []*toy.Program
	limits := Limits{Executions: 200, Depth: 10}
	for i := range uint64(6000) {
		p := toy.Generate(rand.New(rand.NewPCG(5, i)).IntN)
		if _, err := Enumerate(toy.New(p), limits); err == nil {
			programs = append(programs, p)
		}
	}
	for _, p := range conflicts() {
		if p.a >= trace.ModeKeyWrite && p.a < trace.ModeAll || p.b >= trace.ModeKeyWrite && p.b < trace.ModeAll {
			continue // toy programs have no Map, and no memory known by address; package sched tests these modes
		}
		if p.a == trace.ModeLooseDone || p.b == trace.ModeLooseDone {
			continue // an option; TestLooseDones of package enginetest tests it
		}
		rel, shown := without(p), false
		candidates := programs
		if kept[p] != "" {
			candidates = programs[:1000]
		}
		for _, q := range candidates {
			r, err := EnumerateWith(toy.New(q), limits, rel)
			if err == nil && r.Check() != nil {
				shown = true
				break
			}
		}
		if why := kept[p]; shown == (why != "") {
			t.Errorf("%v: shown to be dependent: %v; kept because: %q", p, shown, why)
		}
	}
}

// TestIndependentPairs performs independent operations in both orders, from
// random reachable states, and compares all that follows.
func TestIndependentPairs(t *testing.T) {
	met := make(map[string]int)
	try := func(i int64, p *toy.Program) {
		rng := rand.New(rand.NewPCG(9, uint64(i)))
		d := diamond{first: toy.New(p), second: toy.New(p), rng: rng, met: met}
		if err := d.walk(); err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
	}
	for i, p := range toytest.Programs(t, 5000) {
		try(i, p)
	}
	clear(met)
	for i := range int64(20000) { // the same ones every time, to meet every pair
		try(i, toy.Generate(rand.New(rand.NewPCG(10, uint64(i))).IntN))
	}
	for i := range int64(40000) { // two looks commute after a first one
		if p := toy.Generate(rand.New(rand.NewPCG(11, uint64(i))).IntN); looks(p) > 2 {
			try(i, p)
		}
	}
	for _, p := range independentPairs() {
		if why := impossible[p]; (met[p.String()] > 0) == (why != "") {
			t.Errorf("%v: met %d times; impossible because: %q", p, met[p.String()], why)
		}
	}
}

// looks returns how many threads of p look at channels without waiting.
func looks(p *toy.Program) (n int) {
	for _, th := range p.Threads {
		if slices.ContainsFunc(th, func(in toy.Instr) bool { return in.Code == toy.Len || in.Code == toy.Select && in.Default }) {
			n++
		}
	}
	return n
}

// impossible tells why two modes are never requested in the same state.
var impossible = map[pair]string{
	{trace.ModeRelease, trace.ModeRelease}: "one holder only",
	{trace.ModeRelease, trace.ModeUnshare}: "no readers beside a writer",
	{trace.ModeSend, trace.ModeDeadSend}:   "the channel is either closed or not",
	{trace.ModeSend, trace.ModeLook}:       onceLookedAt,
	{trace.ModeRecv, trace.ModeLook}:       onceLookedAt,
	{trace.ModeClose, trace.ModeLook}:      onceLookedAt,
	{trace.ModeDeadSend, trace.ModeLook}:   onceLookedAt,
}

const onceLookedAt = "a goroutine has looked at the channel before, and then they are of ModeAll"

func independentPairs() (ps []pair) {
	dependent := make(map[pair]bool)
	for _, p := range conflicts() {
		dependent[p] = true
	}
	family := func(m trace.Mode) int { // of which objects
		for i, last := range []trace.Mode{trace.ModeWrite, trace.ModeTryShare, trace.ModeLook, trace.ModeLooseDone, trace.ModeLater} {
			if m <= last {
				return i
			}
		}
		return -1
	}
	for b := range trace.ModeKeyWrite {
		for a := range b + 1 {
			if p := (pair{a, b}); !dependent[p] && family(a) == family(b) && b != trace.ModeLooseDone {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// diamond walks through a program and compares the two orders of independent
// operations.
type diamond struct {
	first, second *toy.Runner
	rng           *rand.Rand
	met           map[string]int // pairs of modes on one object
	schedule      trace.Schedule
}

func (d *diamond) walk() error {
	for range 30 {
		run := d.first.Start()
		if err := run.Replay(d.schedule); err != nil {
			return err
		}
		ops := run.Pending()
		if len(ops) == 0 {
			run.Close()
			return nil
		}
		var x, y trace.Op
		i, j := d.rng.IntN(len(ops)), d.rng.IntN(len(ops))
		x, y = *ops[i], *ops[j]
		cx, cy := d.choice(&x), d.choice(&y)
		independent := i != j && !trace.Dependent(&x, &y)
		run.Close()
		if independent {
			d.note(&x, &y)
			if err := d.compare(cx, cy); err != nil {
				return fmt.Errorf("after %v, %v and %v: %w", d.schedule, &x, &y, err)
			}
		}
		d.schedule = append(d.schedule, cx)
	}
	return nil
}

func (d *diamond) choice(op *trace.Op) trace.Choice {
	return trace.Choice{G: op.G, Alt: d.rng.Int32N(op.Alts)}
}

func (d *diamond) note(x, y *trace.Op) {
	for _, a := range x.Accesses() {
		for _, b := range y.Accesses() {
			if a.Obj == b.Obj {
				d.met[pairOf(a.Mode, b.Mode).String()]++
			}
		}
	}
}

// compare performs x, y in one run and y, x in another, and then the same random
// continuation in both.
func (d *diamond) compare(x, y trace.Choice) error {
	a, b := d.first.Start(), d.second.Start()
	defer a.Close()
	defer b.Close()
	ha, hb, err := d.orders(a, b, x, y)
	if err != nil {
		return err
	}
	s := append(append(trace.Schedule(nil), d.schedule...), x, y)
	for {
		ops := a.Pending()
		if err := equalOps(ops, b.Pending()); err != nil {
			return err
		}
		if sa, sb := d.first.FinalState(), d.second.FinalState(); len(ops) == 0 && sa != sb {
			return fmt.Errorf("the states are\n%s\n%s", sa, sb)
		}
		if len(ops) == 0 {
			break
		}
		c := d.choice(ops[d.rng.IntN(len(ops))])
		s = append(s, c)
		if err := push(a, ha, c); err != nil {
			return err
		}
		if err := push(b, hb, c); err != nil {
			return err
		}
	}
	n := len(d.schedule)
	fa := ha.Fingerprint(func(i int) int32 { return s[i].Alt })
	s[n], s[n+1] = y, x
	if fb := hb.Fingerprint(func(i int) int32 { return s[i].Alt }); fa != fb {
		return fmt.Errorf("the traces differ after the continuation %v", s[n+2:])
	}
	return nil
}

// orders takes run a through x, y and run b through y, x.
func (d *diamond) orders(a, b trace.Run, x, y trace.Choice) (*trace.Tracker, *trace.Tracker, error) {
	ha, hb := trace.NewTracker(trace.Dependence), trace.NewTracker(trace.Dependence)
	for _, c := range append(append(trace.Schedule(nil), d.schedule...), x, y) {
		if err := push(a, ha, c); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range append(append(trace.Schedule(nil), d.schedule...), y, x) {
		if err := push(b, hb, c); err != nil {
			return nil, nil, err
		}
	}
	return ha, hb, nil
}

func push(r trace.Run, h *trace.Tracker, c trace.Choice) error {
	ev, err := r.Step(c)
	if err != nil {
		return err
	}
	h.Push(int32(ev.G), ev.Accesses(), ev.Order)
	return nil
}

// equalOps compares what is pending after the two orders.
func equalOps(as, bs []*trace.Op) error {
	if len(as) != len(bs) {
		return fmt.Errorf("%d goroutines are ready, or %d", len(as), len(bs))
	}
	for i, a := range as {
		b := bs[i]
		if a.G != b.G || a.Kind != b.Kind || a.Alts != b.Alts || a.Obj != b.Obj {
			return fmt.Errorf("%v with %d alternatives is pending, or %v with %d", a, a.Alts, b, b.Alts)
		}
		if x, y := fmt.Sprint(a.Accesses()), fmt.Sprint(b.Accesses()); x != y {
			return fmt.Errorf("%v would touch %s, or %s", a, x, y)
		}
	}
	return nil
}
