package exec

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Site is a use of a socket, before which a fault may come: the N-th one of goroutine G, counted
// from 0. Changes of files are counted from 1<<28 on, and calls of Node.Stop from 1<<29 on. Kinds
// are the faults that make a difference there.
type Site struct {
	G     trace.ID
	N     int32
	Kinds sched.Faults
}

// Sites returns where faults of the kinds of [Options.Faults] may come in the execution that runs,
// or ran last, in the order of time. The result all says that these are all: of a long execution
// only some are kept.
func (c *Closure) Sites() (list []Site, all bool) {
	noted, all := c.m.Sites()
	for _, s := range noted {
		list = append(list, Site{s.G, s.N, sched.Faults(s.Kinds)})
	}
	return list, all
}

// planOf returns the plan of a text that was checked before.
func planOf(text string) faults.Plan {
	p, err := faults.Parse(text)
	if err != nil {
		panic("sched: New: the plan of faults is wrong: " + err.Error())
	}
	return p
}

// FaultsRecorded says which faults have come in the execution that runs, or ran last, if it is
// recorded, in the order of time: "node a is cut off for 1m0s". A long record may have lost their
// events.
func (c *Closure) FaultsRecorded() []string { return c.record.faults }

// whole returns the text of a fault, of which short may be a part.
func whole(v any, short string) string {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return short
}

// fault notes a fault, which is g's latest operation, by its value in the record.
func (r *recorder) fault(g *machine.Goroutine, value string) {
	object := ""
	if o, ok := g.Req.Obj.(interface{ Label() string }); ok {
		object = o.Label()
	}
	r.faults = append(r.faults, faultText(object, value))
}

// faultText says what a fault is.
func faultText(object, value string) string {
	if ends, ok := strings.CutPrefix(object, "conn "); ok {
		if late, ok := strings.CutPrefix(value, "is late "); ok {
			return "what is written to the connection " + ends + " arrives late, " + late
		}
		return "the connection " + ends + " " + value
	}
	if name, ok := strings.CutPrefix(object, "file "); ok {
		call, rest, _ := strings.Cut(value, " ")
		return call + " of " + name + " " + rest
	}
	if rest, ok := strings.CutPrefix(value, "dial "); ok {
		return "a dial of " + object + " " + rest
	}
	if rest, ok := strings.CutPrefix(value, "datagram "); ok {
		return "a datagram to " + object + " " + rest
	}
	return object + " " + value
}
