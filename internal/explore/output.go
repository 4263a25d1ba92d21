package explore

import (
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/trace"
)

// Outputs collects what one execution writes.
type Outputs struct {
	mu  sync.Mutex
	All []report.Output
}

// begin forgets what earlier executions have written.
func (o *Outputs) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.All = nil
}

// Print takes what is written to a standard file, as [exec.Options.Output].
func (o *Outputs) Print(step int, g trace.ID, stderr bool, text []byte) {
	stream := "stdout"
	if stderr {
		stream = "stderr"
	}
	o.Add(report.Output{Step: step, G: g, Stream: stream, Text: string(text)})
}

func (o *Outputs) Add(x report.Output) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.All); n > 0 && o.All[n-1].Step > x.Step {
		o.All = nil // the execution was begun again
	}
	if n := len(o.All); n > 0 && !strings.HasSuffix(o.All[n-1].Text, "\n") {
		if last := &o.All[n-1]; last.G == x.G && last.Stream == x.Stream && last.Step == x.Step {
			last.Text += x.Text
			return
		}
	}
	o.All = append(o.All, x)
}

// Of returns what was written, with the names of goroutines.
func (o *Outputs) Of(n replay.Paths) []report.Output {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.All {
		if x := &o.All[i]; x.G >= 0 {
			x.Name = n.Name(x.G)
		}
	}
	return o.All
}

// Discard takes the output of executions that is not looked at.
func Discard(int, trace.ID, bool, []byte) {}

// Transcribed returns all that was written, line by line as on a terminal.
func Transcribed(all []report.Output) string {
	var b strings.Builder
	for _, x := range all {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") && x.Stream == "log" {
			b.WriteByte('\n')
		}
		b.WriteString(x.Text)
	}
	return b.String()
}
