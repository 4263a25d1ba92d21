package trace_test

import (
	"testing"
	"time"

	. "github.com/gopor/gopor/sched/trace"
)

// called returns names of the objects in these tests.
func called(label string) string {
	return map[string]string{"Mutex 1": "a.mu", "Mutex 12": "b", "chan 2": "results", "Var 1": "n"}[label]
}

func TestWaitText(t *testing.T) {
	for _, test := range []struct {
		wait                  Wait
		text, operation, line string
	}{
		{Wait{Op: OpLock, Object: "Mutex 1", Why: "held by g2", At: Position{File: "/a/b.go", Line: 7}},
			"waits in lock of a.mu, held by g2", "wait in lock", "g1 waits in lock of a.mu, held by g2 (b.go:7)"},
		{Wait{Op: OpLock, Object: "Mutex 12"}, "waits in lock of b", "wait in lock", ""},
		{Wait{Op: OpSend, Nil: true}, "waits in send of a nil channel", "wait in send", ""},
		{Wait{Op: OpJoin, Of: "g2"}, "waits for the end of g2", "wait for the end", ""},
		{Wait{Op: OpSleep}, "sleeps", "sleep", ""},
		{Wait{Op: OpSelect}, "waits in a select without cases", "wait in a select without cases", ""},
		{Wait{Op: OpSelect, All: 2}, "waits in a select of nil channels", "wait in a select of nil channels", ""},
		{Wait{Op: OpSelect, All: 3, Cases: []Case{{Object: "chan 2"}, {Send: true, Object: "chan 2"}}},
			"waits in a select for receive from results, send on results", "wait in a select for receive from results, send on results", ""},
		{Wait{Op: OpSelect, All: 1, Polls: true, Cases: []Case{{Object: "chan 2"}}}, "polls for receive from results", "poll for receive from results", ""},
		{Wait{Op: OpLoad, Polls: true, Object: "Var 1"}, "polls by load of n", "poll by load", ""},
		{Wait{Op: OpLoad, Polls: true}, "polls by load", "poll by load", ""},
		{Wait{Op: OpNone}, "waits for ever", "wait for ever", ""},
		{Wait{Op: OpLock, Object: "Mutex 1", Otherwise: "runs"}, "runs", "wait in lock", ""},
	} {
		test.wait.Name = "g1"
		w := test.wait.Named(called)
		if got := w.Text(); got != test.text {
			t.Errorf("%+v: Text is %q, want %q", test.wait, got, test.text)
		}
		if got := w.Operation(); got != test.operation {
			t.Errorf("%+v: Operation is %q, want %q", test.wait, got, test.operation)
		}
		if got := w.Line(); test.line != "" && got != test.line {
			t.Errorf("%+v: Line is %q, want %q", test.wait, got, test.line)
		}
	}
}

func TestHangText(t *testing.T) {
	main := Wait{Name: "main", Op: OpRecv, Object: "chan 2"}
	sleeps := Wait{Name: "main", Op: OpSleep}
	for _, test := range []struct {
		hang          Hang
		waiting, rest string
	}{
		{Hang{Main: main, Ticks: TicksTicker, GoesOn: true}, "main waits in recv of results", "only a ticker goes on"},
		{Hang{Main: main, Ticks: TicksSleep, Sleeper: "g2", GoesOn: true}, "main waits in recv of results", "only a sleep of g2 goes on"},
		{Hang{Main: main, Ticks: TicksTicker, GoesOn: true, OfMain: true}, "main waits in recv of results, again and again", ""},
		{Hang{Main: sleeps, Ticks: TicksSleep, Sleeper: "main", OfMain: true, In: time.Hour, Limit: time.Minute},
			"main sleeps for 1h0m0s more, beyond the limit of 1m0s", ""},
		{Hang{Main: main, Ticks: TicksTimer, In: time.Hour, Limit: time.Minute},
			"main waits in recv of results", "only a timer helps, in 1h0m0s, beyond the limit of 1m0s"},
		{Hang{Main: main, Ticks: TicksDeadline, In: time.Hour, Limit: time.Minute},
			"main waits in recv of results", "only the deadline of a context helps, in 1h0m0s, beyond the limit of 1m0s"},
	} {
		f := Failure{Kind: FailDeadlock, Msg: test.hang.String(), Waits: &Waits{Hang: &test.hang}}.Named(called)
		h := f.Waits.Hang
		if h.Waiting() != test.waiting || h.Rest() != test.rest {
			t.Errorf("%+v: %q and %q, want %q and %q", test.hang, h.Waiting(), h.Rest(), test.waiting, test.rest)
		}
		if f.Msg != h.String() {
			t.Errorf("the message is %q, the hang says %q", f.Msg, h.String())
		}
	}
}

// TestNamed looks at what has objects in it, and at what is the program's own.
func TestNamed(t *testing.T) {
	race := Race{Object: "Var 1", Later: RacingAccess{Name: "g1", Does: "write", At: Position{"a.go", 3, ""}},
		Earlier: RacingAccess{Name: "main", Does: "read", At: Position{"a.go", 5, ""}, Calls: []Position{{"b.go", 9, "x.org/p.F"}}}}
	waits := Waits{
		Goroutines: []Wait{{Name: "g1", Op: OpRecv, Object: "chan 2"}},
		Endless:    []string{"g2", "g3"},
		Outside:    []Outside{{Object: "chan 2", How: "was made"}, {Object: "chan 2", Timer: true}},
		Note:       "chan 2 is a word of the note",
	}
	for _, test := range []struct {
		f            Failure
		msg, details string
	}{
		{Failure{Kind: FailRace, Msg: race.String(), Race: &race}, "write of n by g1 races with read by main",
			"write by g1 at a.go:3\nread by main at a.go:5\n    in a call by p.F at b.go:9"},
		{Failure{Kind: FailLeak, Msg: "a goroutine", Waits: &waits}, "a goroutine",
			"g2 and g3 do the same again and again, and nothing new\ng1 waits in recv of results\n" +
				"results was made outside of the execution: a goroutine or timer that is not under control may be what is waited for\n" +
				"results is of a timer that was made outside of the execution, and is not under control\nchan 2 is a word of the note"},
		{Failure{Kind: FailPanic, Msg: "chan 2", Stack: "chan 2"}, "chan 2", "chan 2"},
		{Failure{Kind: FailHistory, Msg: "no", History: "chan 2"}, "no", "chan 2"},
	} {
		f := test.f.Named(called)
		if f.Msg != test.msg || f.Details() != test.details {
			t.Errorf("%v: %q and\n%s\nwant %q and\n%s", test.f, f.Msg, f.Details(), test.msg, test.details)
		}
	}
	if race.Object != "Var 1" || waits.Goroutines[0].Object != "chan 2" || waits.Outside[0].Object != "chan 2" {
		t.Errorf("Named has changed the failure that it was asked of")
	}
}
