// Package faults has the plans of faults: which ones an execution has, and where.
//
// A fault comes right before a use of a socket or of a file, or a stop of a node, its site. A site
// is named by the goroutine that does it, and by how many such uses of that goroutine came before.
// So it is the same in every schedule, and a plan says what happens whatever the schedule is. What
// an execution does follows from its plan and its schedule.
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
	Sync                     // the Sync of a file fails
	Full                     // there is no room for what is written to a file
	Torn                     // a node stops by a power failure, and starts again
	Skew                     // the wall clock of a node jumps

	All = Skew<<1 - 1

	// OfNodes are the kinds for uses by goroutines of nodes, OfFiles those that have to do with
	// files.
	OfNodes = Crash | Isolate | Torn | Skew
	OfFiles = Sync | Full | Torn
)

// Uses of sockets have numbers from 0 on. Uses of files, and stops of nodes, have numbers of their
// own, which begin here.
const (
	FileUses int32 = 1 << 28
	Stops    int32 = 1 << 29
)

// names has a word for each kind, in their order.
var names = []string{"reset", "refuse", "slow", "delay", "short", "lose", "double", "late", "crash", "isolate", "sync", "full", "torn", "skew"}

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

// timed has the kinds that last, and those that differ by a length of time otherwise.
const timed = Slow | Delay | Crash | Isolate | Torn | Skew

// lasts reports whether a fault has a length of time. After a stop that the program makes it
// decides itself when the node starts again.
func (f *Fault) lasts() bool { return f.Kind&timed != 0 && f.N < Stops }

// Durations are how long faults of kinds that last may take: less than most deadlines, and more.
var Durations = []time.Duration{100 * time.Millisecond, time.Minute}

// Jumps are how far a wall clock may jump ahead.
var Jumps = []time.Duration{time.Minute, -time.Minute}

// Times returns how long a fault of kind k may take. It is one time of 0 for kinds that do not
// last.
func (k Kind) Times() []time.Duration {
	if k == Skew {
		return Jumps
	}
	if k&timed != 0 {
		return Durations
	}
	return []time.Duration{0}
}

// Fault is a fault of a plan.
type Fault struct {
	Kind Kind
	Path []int32       // of the goroutine: its place among siblings, after the path of its parent
	N    int32         // the number of the use, of all such uses of the goroutine
	For  time.Duration // how long it lasts, of kinds that last; how far a clock jumps ahead
}

// Plan is the faults of an execution, ordered by their sites.
type Plan []Fault

// Site is a use at which a fault may come.
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

// Text says what a fault does. Records show it as it is.
type Text string

// String returns the text.
func (t Text) String() string { return string(t) }

// Stays says what a fault does to a node that goes on.
func (f *Fault) Stays() string {
	switch {
	case f.Kind != Skew:
		return fmt.Sprintf("is cut off for %v", f.For)
	case f.For < 0:
		return fmt.Sprintf("has its wall clock jump back by %v", -f.For)
	}
	return fmt.Sprintf("has its wall clock jump ahead by %v", f.For)
}

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
		fmt.Fprintf(&b, "%v:%s:%s", f.Kind, pathText(f.Path), useText(f.N))
		if f.lasts() {
			fmt.Fprintf(&b, ":%v", f.For)
		}
	}
	return b.String()
}

// useText returns the number of a use, with a letter before it for those that are not of sockets.
func useText(n int32) string {
	switch {
	case n >= Stops:
		return fmt.Sprint("s", n-Stops)
	case n >= FileUses:
		return fmt.Sprint("f", n-FileUses)
	}
	return strconv.Itoa(int(n))
}

// parseUse parses what useText returns.
func parseUse(text string) (int32, error) {
	first := int32(0)
	if rest, ok := strings.CutPrefix(text, "f"); ok {
		text, first = rest, FileUses
	} else if rest, ok := strings.CutPrefix(text, "s"); ok {
		text, first = rest, Stops
	}
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, errors.New("a site has no number below 0")
	case int32(n) >= FileUses:
		return 0, fmt.Errorf("a site has no number above %d", FileUses-1)
	}
	return first + int32(n), nil
}

// fits reports whether a fault of kind k may come at the use with number n.
func (k Kind) fits(n int32) bool {
	switch {
	case n >= Stops:
		return k == Torn
	case n >= FileUses:
		return k&OfFiles != 0
	}
	return k&(Sync|Full) == 0
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
	if len(fields) < 3 {
		return f, fmt.Errorf("it has %d fields, want 3 at least", len(fields))
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
	if f.N, err = parseUse(fields[2]); err != nil {
		return f, err
	}
	want := 3
	if f.lasts() {
		want = 4
	}
	switch {
	case !f.Kind.fits(f.N):
		return f, fmt.Errorf("no fault %v comes at a use like %s", f.Kind, fields[2])
	case len(fields) != want:
		return f, fmt.Errorf("it has %d fields, want %d", len(fields), want)
	case want == 4:
		if f.For, err = time.ParseDuration(fields[3]); err == nil && (f.For == 0 || f.For < 0 && f.Kind != Skew) {
			err = errors.New("it lasts for no time")
		}
	}
	return f, err
}
