// Package written collects what an execution writes to the standard files, and to the log of its
// test.
package written

import (
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/trace"
)

// Output collects what one execution writes.
type Output struct {
	mu  sync.Mutex
	all []report.Output
}

// Begin forgets what earlier executions have written.
func (o *Output) Begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = nil
}

// Print takes what is written to a standard file, as [exec.Options.Output].
func (o *Output) Print(step int, g trace.ID, stderr bool, text []byte) {
	stream := "stdout"
	if stderr {
		stream = "stderr"
	}
	o.Add(report.Output{Step: step, G: g, Stream: stream, Text: string(text)})
}

// Add takes what was written. A step before the latest one begins the execution again.
func (o *Output) Add(x report.Output) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.all); n > 0 && o.all[n-1].Step > x.Step {
		o.all = nil // the execution was begun again
	}
	if n := len(o.all); n > 0 && !strings.HasSuffix(o.all[n-1].Text, "\n") {
		if last := &o.all[n-1]; last.G == x.G && last.Stream == x.Stream && last.Step == x.Step {
			last.Text += x.Text
			return
		}
	}
	o.all = append(o.all, x)
}

// Of returns what was written, with the names of goroutines.
func (o *Output) Of(n replay.Paths) []report.Output {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.all {
		if x := &o.all[i]; x.G >= 0 {
			x.Name = n.Name(x.G)
		}
	}
	return o.all
}

// Discard takes the output of executions that is not looked at.
func Discard(int, trace.ID, bool, []byte) {}

// Transcript returns all that was written, line by line as on a terminal.
func Transcript(all []report.Output) string {
	var b strings.Builder
	for _, x := range all {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") && x.Stream == "log" {
			b.WriteByte('\n')
		}
		b.WriteString(x.Text)
	}
	return b.String()
}
