package server

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/por"
)

// shut lets a client ask a server that is shut down meanwhile. A request that the server has begun
// to answer has to be answered. One that comes too late may fail.
func shut(t testing.TB, shutdown func(*Server)) {
	var begun atomic.Bool
	s, err := Start(func(line string) string {
		begun.Store(true)
		return "re: " + line
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan bool)
	go func() {
		defer close(asked)
		if got, err := Ask(s.Addr(), "hello"); begun.Load() && got != "re: hello\n" {
			t.Errorf("the request is lost: got %q, %v", got, err)
		}
	}()
	shutdown(s)
	<-asked
}

// Every order is explored, and none loses a request.
func TestShutdown(t *testing.T) {
	por.Check(t, func() { shut(t, (*Server).Shutdown) })
}

// A request is lost if the connections are closed between the beginning of the answer and its end.
func TestHasten(t *testing.T) {
	res, err := por.Explore(func() { shut(quiet{t}, (*Server).Hasten) })
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Report, "the request is lost") {
		t.Errorf("%s, want a request that is lost", res.Verdict)
	}
}

// quiet is a test in which an error fails the execution, and not the test.
type quiet struct{ testing.TB }

func (quiet) Errorf(format string, args ...any) { panic("the request is lost") }
func (quiet) Fatal(args ...any)                 { panic(args) }
