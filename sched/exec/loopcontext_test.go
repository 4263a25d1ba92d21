package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// relatives are a tree of contexts, in which a goroutine goes round that forgets what it has done
// to them.
type relatives struct {
	x                       sched.Int64
	root, child, late       sched.Context
	cancel                  sched.CancelCauseFunc
	cancelChild, cancelLate sched.CancelFunc
	stop                    func() bool
}

var errA, errB = errors.New("a"), errors.New("b")

func newRelatives() *relatives {
	f := new(relatives)
	f.x.Store(0)
	f.root, f.cancel = sched.WithCancelCause(sched.Background())
	f.child, f.cancelChild = sched.WithCancel(f.root)
	f.late, f.cancelLate = sched.WithTimeoutCause(f.root, 4*time.Millisecond, errB)
	f.stop = sched.ContextAfterFunc(f.child, func() { f.x.Add(10) })
	return f
}

// perhaps calls f, or does not.
func perhaps(f func()) {
	if sched.Choose(2) == 1 {
		f()
	}
}

// note does one of two things, after something else, which leave the same behind.
func (f *relatives) note(is bool) {
	f.x.Load()
	if is {
		f.x.Swap(1)
	} else {
		f.x.Store(1)
	}
}

// contextLoops are turns of loops, in which what has become of contexts matters later.
var contextLoops = map[string]func(*relatives){
	"error": func(f *relatives) {
		perhaps(func() { f.cancel(nil) })
		f.note(f.root.Err() != nil)
	},
	"error below": func(f *relatives) {
		perhaps(func() { f.cancel(nil) })
		f.note(f.child.Err() != nil)
	},
	"error of one below": func(f *relatives) {
		perhaps(f.cancelChild)
		f.note(f.child.Err() != nil)
		f.note(f.root.Err() != nil)
	},
	"cause": func(f *relatives) {
		perhaps(func() { f.cancel([]error{errA, errB}[sched.Choose(2)]) })
		f.note(sched.Cause(f.root) == errA)
	},
	"cause below": func(f *relatives) {
		perhaps(func() { f.cancel([]error{errA, errB}[sched.Choose(2)]) })
		f.note(sched.Cause(f.child) == errA)
	},
	"cause of a deadline": func(f *relatives) {
		perhaps(func() { f.cancel(errA) })
		perhaps(func() { sched.Sleep(3 * time.Millisecond) })
		f.note(sched.Cause(f.late) == errB)
	},
	"which error": func(f *relatives) {
		perhaps(f.cancelLate)
		sched.Sleep(5 * time.Millisecond)
		f.note(f.late.Err() == context.Canceled)
	},
	"done": func(f *relatives) {
		perhaps(f.cancelChild)
		f.note(sched.Select(sched.RecvCase(f.child.Done(), nil, nil), sched.Default) == 0)
	},
	"deadline": func(f *relatives) {
		sched.Sleep(time.Millisecond)
		f.note(sched.Select(sched.RecvCase(f.late.Done(), nil, nil), sched.Default) == 0)
	},
	"how far away the deadline is": func(f *relatives) {
		f.cancelLate()
		sched.Sleep(time.Millisecond / 2)
		end, _ := f.late.Deadline()
		f.note(sched.Until(end) < 5*time.Millisecond/2)
	},
	"function": func(f *relatives) {
		perhaps(func() { f.note(f.stop()) })
		perhaps(f.cancelChild)
		f.x.Load()
	},
	"cancelled before": func(f *relatives) {
		perhaps(f.cancelChild)
		perhaps(func() { f.cancel(nil) })
		f.note(f.child.Err() == nil)
	},
	"cause that differs": func(f *relatives) { // each turn has an error of its own
		own := errors.New("own")
		perhaps(func() { f.cancel(own) })
		f.note(sched.Cause(f.root) == own)
	},
	"derived, and its cause": func(f *relatives) {
		perhaps(func() { f.cancel(errA) })
		perhaps(func() {
			below, cancel := sched.WithCancel(f.root)
			f.note(sched.Cause(below) == errA)
			cancel()
		})
	},
}

// TestKeysOfContexts: states with one key have one future, where only the contexts know what was
// done to them.
func TestKeysOfContexts(t *testing.T) {
	effort.Computes(t)
	for name, turn := range contextLoops {
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}, {}} {
			for _, rewritten := range []bool{false, true} {
				if !rewritten && (!k.Tracked || strings.Contains(name, "cause")) {
					continue // errors of one's own have no names then
				}
				c := exec.New(func() {
					f := newRelatives()
					for loop := int32(0); ; {
						if rewritten {
							loop = hook.Turn(1, nil, loop)
						} else {
							sched.Loop()
						}
						turn(f)
					}
				}, exec.Options{})
				depth, ahead := 22, 8
				if strings.HasPrefix(name, "how far") { // one execution
					depth, ahead = 40, 14
				}
				if f, err := oracle.EqualFuturesTo(c, k, depth, ahead); err != nil {
					t.Errorf("%s, %v, rewritten %v: %+v, %v", name, k, rewritten, f, err)
				}
				c.Shutdown()
			}
		}
	}
}
