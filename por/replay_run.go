package por

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/gopor/gopor/sched"
)

// follow runs exactly the execution of a script. The error is a
// [*sched.DivergenceError] if the program does anything else. The run is closed
// when follow returns.
func follow(p sched.Program, s script) (*trial, error) {
	n := namingOf(p)
	want := s.schedule(n)
	r := p.Start()
	defer r.Close()
	t := &trial{schedule: make(sched.Schedule, 0, len(want))}
	last := noGoroutine
	for i, c := range want {
		ops := r.Pending()
		op := pendingOf(ops, c.G)
		if err := fits(n, s.moves[i], i, ops, op); err != nil {
			return t, err
		}
		if _, err := r.Step(c); err != nil {
			return t, err
		}
		t.add(c, s.moves[i].kind, c.G != last && pendingOf(ops, last) != nil)
		last = c.G
	}
	t.judge(r.Outcome())
	if ops := r.Pending(); len(ops) > 0 {
		return t, &sched.DivergenceError{
			Step: len(want),
			Want: "the end of the execution",
			Got:  describeOp(n, ops[0]),
		}
	}
	return t, nil
}

// fits reports, as an error, how the pending operations differ from what event
// i of a script calls for; op is the one of the goroutine that is to move.
func fits(n naming, m move, i int, ops []*sched.Op, op *sched.Op) error {
	if op != nil && op.Kind == m.kind && m.alt < op.Alts {
		return nil
	}
	name := n.Name(n.Lookup(m.path))
	d := &sched.DivergenceError{Step: i, Want: fmt.Sprintf("%v by %s", m.kind, name)}
	switch {
	case op == nil && len(ops) == 0:
		d.Got = "the execution is over"
	case op == nil:
		d.Got = fmt.Sprintf("%s is not ready there; %s", name, describeOp(n, ops[0]))
	case op.Kind != m.kind:
		d.Got = describeOp(n, op)
	default:
		d.Want = fmt.Sprintf("alternative %d of %s", m.alt, d.Want)
		d.Got = fmt.Sprintf("there are %d alternatives", op.Alts)
	}
	return d
}

// describeOp says what a goroutine is about to do, and where if that is known.
func describeOp(n naming, op *sched.Op) string {
	text := fmt.Sprintf("%s is about to %v", n.Name(op.G), op.Kind)
	if op.PC != 0 {
		f, _ := runtime.CallersFrames([]uintptr{op.PC}).Next()
		if f.File != "" {
			text += fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return text
}
