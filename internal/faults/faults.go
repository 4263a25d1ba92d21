// Package faults has the plans of faults: which ones an execution has, and where.
//
// A fault comes right before a use of a socket, its site. A site is named by the goroutine that
// uses the socket, and by how many uses of sockets of that goroutine came before. So it is the same
// in every schedule, and a plan says what happens whatever the schedule is. What an execution does
// follows from its plan and its schedule.
package faults

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is a kind of fault, or a set of kinds.
type Kind uint16

// The kinds of faults.
const (
	Reset   Kind = 1 << iota // the network resets a connection
	Refuse                   // a dial is refused
	Slow                     // a dial takes time
	Delay                    // what is written to a connection arrives later
	Short                    // a connection is reset while a Write has written a part
	Lose                     // a datagram is lost
	Double                   // a datagram arrives twice
	Late                     // a datagram is overtaken by the next one
	Crash                    // a node stops, and starts again
	Isolate                  // a node is cut off from all others

	All = Isolate<<1 - 1
)

// names has a word for each kind, in their order.
var names = []string{"reset", "refuse", "slow", "delay", "short", "lose", "double", "late", "crash", "isolate"}

// Names returns the word for each kind that there is.
func Names() []string { return names }

// Named returns the kind with that name, 0 if there is none.
func Named(name string) Kind {
	if i := slices.Index(names, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Each returns the kinds of a set, one by one.
func (k Kind) Each() (all []Kind) {
	for i := range names {
		if k&(1<<i) != 0 {
			all = append(all, 1<<i)
		}
	}
	return all
}

// String returns the names of the kinds, with commas between them.
func (k Kind) String() string {
	var list []string
	for i, name := range names {
		if k&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}

// timed has the kinds that last.
const timed = Slow | Delay | Crash | Isolate

// Durations are how long faults of kinds that last may take: less than most deadlines, and more.
var Durations = []time.Duration{100 * time.Millisecond, time.Minute}

// Times returns how long a fault of kind k may take. It is one time of 0 for kinds that do not
// last.
func (k Kind) Times() []time.Duration {
	if k&timed != 0 {
		return Durations
	}
	return []time.Duration{0}
}

// Fault is a fault of a plan.
type Fault struct {
	Kind Kind
	Path []int32       // of the goroutine: its place among siblings, after the path of its parent
	N    int32         // how many uses of sockets of the goroutine come before
	For  time.Duration // how long it lasts, of kinds that last
}

// Plan is the faults of an execution, ordered by their sites.
type Plan []Fault

// Site is a use of a socket at which a fault may come.
type Site struct {
	Path  []int32
	N     int32
	Kinds Kind // which faults make a difference there
}

// Most is how many faults a plan may have.
const Most = 8

func compare(a, b Fault) int {
	return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.N, b.N), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.For, b.For))
}

// With returns the plan with one more fault. It reports false if there is one at that site.
func (p Plan) With(f Fault) (Plan, bool) {
	for _, g := range p {
		if g.N == f.N && slices.Equal(g.Path, f.Path) {
			return nil, false
		}
	}
	q := append(slices.Clone(p), f)
	slices.SortFunc(q, compare)
	return q, true
}

// Without returns the plan without its i-th fault.
func (p Plan) Without(i int) Plan { return slices.Delete(slices.Clone(p), i, i+1) }

// Of reports whether a fault is one of the goroutine with that path.
func (f *Fault) Of(path []int32) bool {
	if len(path) != len(f.Path) {
		return false
	}
	// The uses of memory by package slices would count as the program's.
	for i, x := range path {
		if x != f.Path[i] {
			return false
		}
	}
	return true
}

// String returns the plan as text that [Parse] takes, such as "reset:0.1:5,delay::2:1m0s".
func (p Plan) String() string {
	var b strings.Builder
	for i, f := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%v:%s:%d", f.Kind, pathText(f.Path), f.N)
		if f.Kind&timed != 0 {
			fmt.Fprintf(&b, ":%v", f.For)
		}
	}
	return b.String()
}

func pathText(path []int32) string {
	parts := make([]string, len(path))
	for i, x := range path {
		parts[i] = strconv.Itoa(int(x))
	}
	return strings.Join(parts, ".")
}

// Parse returns the plan that a text stands for.
func Parse(text string) (Plan, error) {
	if text == "" {
		return nil, nil
	}
	var p Plan
	for part := range strings.SplitSeq(text, ",") {
		f, err := parseOne(part)
		if err != nil {
			return nil, fmt.Errorf("the fault %q: %w", part, err)
		}
		q, ok := p.With(f)
		if !ok {
			return nil, fmt.Errorf("the fault %q: its site has another one", part)
		}
		p = q
	}
	if len(p) > Most {
		return nil, fmt.Errorf("%d faults; a plan has %d at most", len(p), Most)
	}
	return p, nil
}

func parseOne(text string) (f Fault, err error) {
	fields := strings.Split(text, ":")
	if f.Kind = Named(fields[0]); f.Kind == 0 {
		return f, errors.New("no kind of fault has that name")
	}
	want := 3
	if f.Kind&timed != 0 {
		want = 4
	}
	if len(fields) != want {
		return f, fmt.Errorf("it has %d fields, want %d", len(fields), want)
	}
	if fields[1] != "" {
		for part := range strings.SplitSeq(fields[1], ".") {
			x, err := strconv.ParseInt(part, 10, 32)
			if err != nil {
				return f, err
			}
			f.Path = append(f.Path, int32(x))
		}
	}
	n, err := strconv.ParseInt(fields[2], 10, 32)
	if err == nil && n < 0 {
		err = errors.New("a site has no number below 0")
	}
	if f.N = int32(n); err == nil && want == 4 {
		f.For, err = time.ParseDuration(fields[3])
	}
	if err == nil && f.Kind&timed != 0 && f.For <= 0 {
		err = errors.New("it lasts for no time")
	}
	return f, err
}
