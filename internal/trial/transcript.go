package trial

import (
	"fmt"

	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Transcript runs a schedule of a program that does not record, and returns its
// events as entries.
func Transcript(p trace.Program, schedule trace.Schedule) []exec.Entry {
	n := PathsOf(p)
	r := p.Start()
	defer r.Close()
	var out []exec.Entry
	for i, c := range schedule {
		ev, err := r.Step(c)
		if err != nil {
			break
		}
		e := exec.Entry{Step: i, G: c.G, Name: n.Name(c.G), Kind: ev.Kind}
		if ev.Obj >= 0 {
			e.Obj = fmt.Sprintf("object %d", ev.Obj)
		}
		if c.Alt > 0 {
			e.Value = fmt.Sprintf("alternative %d", c.Alt)
		}
		out = append(out, e)
	}
	return out
}
