package por

import (
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/trace"
)

// outputs collects what one execution writes.
type outputs struct {
	mu  sync.Mutex
	all []report.Output
}

// begin forgets what earlier executions have written.
func (o *outputs) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = nil
}

// print takes what is written to a standard file, as [exec.Options.Output].
func (o *outputs) print(step int, g trace.ID, stderr bool, text []byte) {
	stream := "stdout"
	if stderr {
		stream = "stderr"
	}
	o.add(report.Output{Step: step, G: g, Stream: stream, Text: string(text)})
}

func (o *outputs) add(x report.Output) {
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

// of returns what was written, with the names of goroutines.
func (o *outputs) of(n replay.Paths) []report.Output {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.all {
		if x := &o.all[i]; x.G >= 0 {
			x.Name = n.Name(x.G)
		}
	}
	return o.all
}

// discard takes the output of executions that is not looked at.
func discard(int, trace.ID, bool, []byte) {}

// transcribed returns all that was written, line by line as on a terminal.
func transcribed(all []report.Output) string {
	var b strings.Builder
	for _, x := range all {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") && x.Stream == "log" {
			b.WriteByte('\n')
		}
		b.WriteString(x.Text)
	}
	return b.String()
}
