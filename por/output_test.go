package por

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/sched"
)

// failingTB is a test that keeps to itself that it has failed.
type failingTB struct{ testing.TB }

func (failingTB) Failed() bool { return false }

// What an execution has written is data, with the step after which it was and by whom.
func TestOutput(t *testing.T) {
	h, err := newHarness(failingTB{t}, func(t testing.TB) {
		t.Log("begins")
		done := sched.NewChan[int](0)
		sched.Go(func() {
			t.Log("in g1")
			done.Send(1)
		})
		done.Recv()
		t.Output().Write([]byte("raw, "))
		t.Output().Write([]byte("more\n"))
		t.Fatal("ends")
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := newConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := h.run(newSession(c, h.subject()))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	const file = "output_test.go:"
	want := []Output{
		{-1, 0, "main", "log", file + "19: begins\n"},
		{-1, 2, "g1", "log", file + "22: in g1\n"},
		{1, 0, "main", "log", "raw, more\n"},
		{1, 0, "main", "log", file + "28: ends\n"},
	}
	got := res.Failures[0]
	if diff := cmp.Diff(want, got.Output); diff != "" {
		t.Errorf("the output differs (-want +got)\n%s", diff)
	}
	if text := file + "19: begins\n" + file + "22: in g1\nraw, more\n" + file + "28: ends\n"; got.Log != text {
		t.Errorf("the log is %q", got.Log)
	}
}

func TestOutputs(t *testing.T) {
	var o outputs
	o.print(-1, 0, false, []byte("half "))
	o.print(-1, 0, false, []byte("line\n"))
	o.print(-1, 0, true, []byte("error"))
	o.add(Output{Step: 2, G: -1, Stream: "log", Text: "x.go:1: logged\n"})
	want := []Output{{-1, 0, "g0", "stdout", "half line\n"}, {-1, 0, "g0", "stderr", "error"}, {2, -1, "", "log", "x.go:1: logged\n"}}
	if diff := cmp.Diff(want, o.of(replay.Numbering{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := transcribed(o.all); got != "half line\nerror\nx.go:1: logged\n" {
		t.Errorf("%q", got)
	}
	o.print(-1, 0, false, []byte("again"))
	if len(o.all) != 1 || o.all[0].Text != "again" {
		t.Errorf("an execution that was begun again has %+v", o.all)
	}
}
