package por

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

// failingTB is a test that keeps to itself that it has failed.
type failingTB struct{ testing.TB }

func (failingTB) Failed() bool { return false }

// What an execution has written is data, with the step after which it was and by whom.
func TestOutput(t *testing.T) {
	h, err := check.NewHarness(failingTB{t}, func(t testing.TB) {
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
	c, err := explore.NewConfig[Option](nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := h.Run(check.NewShared(c, h.Subject(), h))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	const file = "output_test.go:"
	want := []report.Output{
		{Step: -1, G: 0, Name: "main", Stream: "log", Text: file + "24: begins\n"},
		{Step: -1, G: 2, Name: "g1", Stream: "log", Text: file + "27: in g1\n"},
		{Step: 1, G: 0, Name: "main", Stream: "log", Text: "raw, more\n"},
		{Step: 1, G: 0, Name: "main", Stream: "log", Text: file + "33: ends\n"},
	}
	got := res.Failures[0]
	if diff := cmp.Diff(want, got.Output); diff != "" {
		t.Errorf("the output differs (-want +got)\n%s", diff)
	}
	if text := file + "24: begins\n" + file + "27: in g1\nraw, more\n" + file + "33: ends\n"; got.Log != text {
		t.Errorf("the log is %q", got.Log)
	}
}

func TestOutputs(t *testing.T) {
	var o written.Output
	o.Print(-1, 0, false, []byte("half "))
	o.Print(-1, 0, false, []byte("line\n"))
	o.Print(-1, 0, true, []byte("error"))
	o.Add(report.Output{Step: 2, G: -1, Stream: "log", Text: "x.go:1: logged\n"})
	want := []report.Output{{Step: -1, G: 0, Name: "g0", Stream: "stdout", Text: "half line\n"}, {Step: -1, G: 0, Name: "g0", Stream: "stderr", Text: "error"}, {Step: 2, G: -1, Name: "", Stream: "log", Text: "x.go:1: logged\n"}}
	if diff := cmp.Diff(want, o.Of(replay.Numbering{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := written.Transcript(o.Of(replay.Numbering{})); got != "half line\nerror\nx.go:1: logged\n" {
		t.Errorf("%q", got)
	}
	o.Print(-1, 0, false, []byte("again"))
	if len(o.Of(replay.Numbering{})) != 1 || o.Of(replay.Numbering{})[0].Text != "again" {
		t.Errorf("an execution that was begun again has %+v", o.Of(replay.Numbering{}))
	}
}
