package conformance

import (
	"errors"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// futuresOf holds a program to the promise of trace.Keyed. A program that cannot name its
// states, or with a data race, promises nothing.
func futuresOf(p *Program, k trace.Keying) (oracle.Futures, error) {
	x := New(p)
	defer x.Shutdown()
	f, err := oracle.EqualFutures(x, k, oracle.Limits{Executions: 300, Depth: 14})
	if errors.Is(err, oracle.ErrTooBig) || trace.IsUnkeyed(err) {
		return oracle.Futures{}, nil
	}
	return f, err
}

// TestFutures: states of random programs over the primitives with one key have one
// future.
func TestFutures(t *testing.T) {
	n, source := toytest.Seeds(t, 4000)
	list := families(t)
	var mu sync.Mutex
	sums := make([]oracle.Futures, len(list))
	parallel(n, func() struct{} { return struct{}{} }, func(_ struct{}, i int64) bool {
		family := i % int64(len(list))
		p := Generate(list[family], source(i))
		k := trace.Keying{Tracked: i/int64(len(list))%2 == 0 && p.Races != sched.RaceFail, Exact: i/int64(len(list))%4 == 1}
		f, err := futuresOf(p, k)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			q := Shrink(p, func(q *Program) bool { _, err := futuresOf(q, k); return err != nil })
			_, short := futuresOf(q, k)
			t.Errorf("program %d, %s, %v: %v\nit shrinks to\n%v\n%v", i, list[family].Name, k, err, q, short)
			return false
		}
		sums[family].Prefixes += f.Prefixes
		sums[family].Keys += f.Keys
		return true
	})
	for i, f := range list {
		if t.Logf("%14s %+v", f.Name, sums[i]); sums[i].Keys == 0 && among("map pool contexts deadlines connections streams listeners packets", f.Name) && n >= 1000 {
			t.Errorf("no state of family %s has a name", f.Name)
		}
	}
}

// TestKeysOfPolls: whether a select has waited for what it has found decides whether the next one repeats it,
// so that its goroutine is taken for one that polls.
func TestKeysOfPolls(t *testing.T) {
	p := MustParse("polls 1\nchan c 0\nmutex m\nfunc\n\tgo 1\n\ttrylock m\n\trepeat 2 2\nfunc\n\tclose c\nfunc\n\tselect recv c\n")
	x := New(p)
	defer x.Shutdown()
	for _, k := range []trace.Keying{{}, {Exact: true}, {Tracked: true}} {
		if _, err := oracle.EqualFutures(x, k, oracle.Limits{}); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

// TestKeysOfCancelling: of two who cancel a context, and wait for what that cancels in turn, the key tells who was first.
func TestKeysOfCancelling(t *testing.T) {
	p := MustParse("time discrete\nraces ignore\ntimeoutctx t0 1\ntimeoutctx t2 t0 1\nctxafter c1 t0 3\n" +
		"func\n\tgo 1\n\tcancel t0 0\nfunc\n\tgo 2\nfunc\n\tcancel t2 0\n\twithin t2 1\nfunc\n")
	x := New(p)
	defer x.Shutdown()
	for _, k := range []trace.Keying{{}, {Exact: true}, {Tracked: true}, {Tracked: true, Exact: true}} {
		if _, err := oracle.EqualFutures(x, k, oracle.Limits{}); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

// TestKeysOfGroupSteps: of two who call Done twice, and have done so once while a third one waits, the key tells who is to
// wake that, which its first Done has found out, and who is about to make the counter negative.
func TestKeysOfGroupSteps(t *testing.T) {
	p := MustParse("model fine\nwaitgroup w\nfunc\n\twgadd w 2\n\tgo 1\n\tgo 1\n\twgwait w\nfunc\n\tdone w\n\tdone w\n")
	x := New(p)
	defer x.Shutdown()
	for _, k := range []trace.Keying{{}, {Exact: true}, {Tracked: true}, {Tracked: true, Exact: true}} {
		if f, err := oracle.EqualFutures(x, k, oracle.Limits{}); err != nil || f.Merged == 0 {
			t.Errorf("%v: %+v, %v", k, f, err)
		}
	}
}

// TestKeysOfEnded: a goroutine that has ended without an operation has no kind of operation in the key, whatever the
// goroutine of that number has done in the execution before.
func TestKeysOfEnded(t *testing.T) {
	p := MustParse("listener l 0\nfunc\n\tgo 1\n\tlclose l\nfunc\n\tlby l 1\n\tgo 2\nfunc\n")
	x := New(p)
	defer x.Shutdown()
	if _, err := oracle.EqualFutures(x, trace.Keying{}, oracle.Limits{}); err != nil {
		t.Error(err)
	}
}

// TestKeysOfSockets: what goroutines have written, dialled or sent to one socket is in the key in that order.
func TestKeysOfSockets(t *testing.T) {
	for _, text := range []string{
		"conn c 0\nfunc\n\tgo 1\n\tgo 2\n\tnread c 1 0\nfunc\n\tnwrite c 0 0\nfunc\n\tnwrite c 0 0\n",
		"listener l 0\nfunc\n\tgo 1\n\tgo 2\n\taccept l\nfunc\n\tdial l\nfunc\n\tdial l\n",
		"packets p 0\npackets q 1\nfunc\n\tgo 1\n\tgo 2\n\treceive p\nfunc\n\tsendto q 0 0\nfunc\n\tsendto q 0 0\n",
		// How a Write ends that comes after the Close of the other end, or before it.
		"conn c 0\nfunc\n\tgo 1\n\tgo 2\n\tnwrite c 0 0\nfunc\n\tnwrite c 0 0\nfunc\n\tnclose c 1\n",
		// The first Read is told of the reset.
		"conn c 0\nfunc\n\tnwrite c 1 0\n\tnclose c 1\n\tgo 1\n\tgo 2\n\tnread c 0 0\nfunc\n\tnread c 0 0\nfunc\n\tnread c 0 0\n",
		"conn c 0\nfunc\n\tnwrite c 0 0\n\tnclose c 1\n\tgo 1\n\tgo 2\n\tnread c 0 0\nfunc\n\tnread c 0 0\nfunc\n\tnread c 0 0\n",
	} {
		x := New(MustParse(text))
		for _, k := range []trace.Keying{{}, {Exact: true}, {Tracked: true}, {Tracked: true, Exact: true}} {
			if f, err := oracle.EqualFutures(x, k, oracle.Limits{}); err != nil || f.Merged == 0 {
				t.Errorf("%v: %+v, %v, of\n%s", k, f, err, text)
			}
		}
		x.Shutdown()
	}
}
