package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// inLibrary is a program with an object that only a library uses.
type inLibrary struct {
	trace.Program
	obj int32
}

func (p inLibrary) Start() trace.Run { return inLibraryRun{p.Program.Start(), p.obj} }

type inLibraryRun struct {
	trace.Run
	obj int32
}

func (r inLibraryRun) Step(c trace.Choice) (*trace.Event, error) {
	ev, err := r.Run.Step(c)
	if ev != nil && ev.Obj == r.obj {
		ev.Within = 1
	}
	return ev, err
}

// seen explores a program near its first execution, and returns what each execution has told.
func seen(t *testing.T, library int32, limit, patience int, f func(tell func(...any))) (all []string) {
	told := ""
	p := exec.New(func() {
		told = ""
		f(func(what ...any) { told += fmt.Sprint(what...) })
	}, exec.Options{})
	stats, err := Near(inLibrary{p, library}, func(x *trace.Execution) bool {
		all = append(all, told)
		return true
	}, limit, patience)
	if err != nil || stats.Exhaustive || stats.Executions != int64(len(all)) {
		t.Errorf("exhaustive: %t, %d executions in place of %d, %v", stats.Exhaustive, stats.Executions, len(all), err)
	}
	return all
}

// TestNear looks at each execution, and at what it takes to have it.
func TestNear(t *testing.T) {
	// The first execution runs main to its Join.
	stores := func(tell func(...any)) {
		var x, y sched.Int64
		g := sched.Go(func() { tell(y.Add(1), x.Load()) })
		x.Store(1)
		y.Add(1)
		x.Store(2)
		g.Join()
	}
	counts := func(tell func(...any)) {
		var many, few sched.Int64
		g := sched.Go(func() {
			for range 5 {
				many.Add(1)
			}
			tell(few.Add(10), " ")
			for range 5 {
				many.Add(1)
			}
		})
		for range 3 {
			many.Add(1)
		}
		tell(few.Add(1), "/", many.Load(), " ")
		g.Join()
	}
	// The second goroutine loads x after what the first one does, and before what the third one does.
	between := func(tell func(...any)) {
		var x, y, own sched.Int64
		sched.Go(func() { y.Store(1) })
		g := sched.Go(func() { own.Add(1); tell(y.Load(), x.Load(), y.Load()) })
		h := sched.Go(func() { y.Store(2) })
		x.Store(1)
		g.Join()
		h.Join()
	}
	// One operation uses both channels.
	selects := func(tell func(...any)) {
		a, b := sched.NewChan[int](1), sched.NewChan[int](1)
		g := sched.Go(func() { tell(sched.Select(sched.RecvCase(a, nil, nil), sched.RecvCase(b, nil, nil))) })
		a.Send(1)
		b.Send(1)
		g.Join()
	}
	const none = -2
	for _, tt := range []struct {
		name            string
		library         int32
		limit, patience int
		f               func(tell func(...any))
		want            []string
	}{
		{"all", none, 100, 100, stores, []string{"2 2", "1 1", "1 1", "2 1", "1 0", "2 2", "2 1", "2 2"}},
		{"the first variable is in a library", 3, 100, 100, stores, []string{"2 2", "2 1", "1 0", "2 1", "2 2"}},
		{"others between", none, 100, 100, between, []string{"1 1 1", "1 0 1", "1 0 1", "0 1 0", "0 1 0", "1 1 2", "1 1 2", "2 1 2", "1 1 2", "1 1 1"}},
		{"two objects at once", none, 100, 100, selects, []string{"0", "0", "0", "0", "0"}},
		{"few first", none, 2, 100, counts, []string{"1/3 11 ", "11 1/13 ", "10 11/13 ", "10 11/13 "}},
		{"patience", none, 2, 3, counts, []string{"1/3 11 ", "11 1/13 ", "1/6 11 ", "1/6 11 "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := seen(t, tt.library, tt.limit, tt.patience, tt.f); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
