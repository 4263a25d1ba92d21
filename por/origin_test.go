package por

import (
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// met explores f and returns what that takes for granted about code.
func met(t *testing.T, f func(), opts ...Option) (what []string) {
	t.Helper()
	c, err := explore.NewConfig(opts)
	if err != nil {
		t.Fatal(err)
	}
	var p *exec.Closure
	s := explore.NewSession(c, explore.Subject{Program: func(exec.Options) trace.Program {
		p = check.NewClosure(f, c.Run, check.NewOrigin(f, c.Direct))
		return p
	}})
	if res, err := s.Run(); err != nil || len(res.Failures) > 0 {
		t.Fatal(res, err)
	}
	for _, a := range p.Assumptions() {
		if a.Kind == sched.AssumeCode {
			what = append(what, a.String())
		}
	}
	return what
}

// fewAs waits until there are so few goroutines, ten seconds at most: one that has nothing left to do is there for a while.
func fewAs(n int) {
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > n && time.Now().Before(end); {
		runtime.Gosched()
	}
}

func TestNativeCodeShows(t *testing.T) {
	end := make(chan bool)
	defer close(end)
	primitives := func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Send(1) })
		c.Recv()
	}
	native := func() {
		defer fewAs(runtime.NumGoroutine())
		c := make(chan int)
		go func() { c <- 1 }()
		<-c
	}
	_, file, line, _ := runtime.Caller(0)
	leaving := func() {
		primitives()
		go func() { <-end }()
	}
	at := func(line int) string {
		return " (" + filepath.Base(file) + ":" + strconv.Itoa(line) + ")"
	}
	const none = "a closure that performs no operation of package sched, in a binary in which nothing else is under control"
	const off = "native code, if there is any, under POR_INSTRUMENT=off"
	for _, test := range []struct {
		name string
		f    func()
		opts []Option
		off  bool
		want []string
	}{
		{"primitives", primitives, nil, false, nil},
		{"native", native, nil, false, []string{none + at(line-6)}},
		{"native and Direct", native, []Option{Direct()}, false, nil},
		{"a goroutine left", leaving, nil, false, []string{"a goroutine that is not under control" + at(line+3)}},
		{"a goroutine left and Direct", leaving, []Option{Direct()}, false, []string{"a goroutine that is not under control" + at(line+3)}},
		{"off", primitives, nil, true, []string{off + at(line-11)}},
		{"off and native", native, nil, true, []string{off + at(line-6), none + at(line-6)}},
		{"off and Direct", primitives, []Option{Direct()}, true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.off {
				t.Setenv(environ.Instrument, "off")
			} else {
				t.Setenv(environ.Instrument, "")
			}
			if got := met(t, test.f, test.opts...); !slices.Equal(got, test.want) {
				t.Errorf("met %q, want %q", got, test.want)
			}
		})
	}
}
