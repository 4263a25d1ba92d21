package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about executions that are too long.

const (
	longestCycle = 400 // entries
	leastRounds  = 8   // that something has to repeat
	shownRounds  = 2   // that a report shows whole, so that one is seen to repeat the other
	latest       = 100 // entries, in one of which the last round ends
)

// judgeLivelock speaks of steps that repeat for ever, and of the goroutines that wait meanwhile.
func (x *examination) judgeLivelock(v *ruling, f trace.Failure) {
	if f.Kind == trace.FailSteps {
		v.bug = "livelock"
	}
	names, rounds := x.repeats()
	w := x.waits
	for _, name := range w.names() {
		// A goroutine that has ended was granted what it last waited for.
		if !slices.Contains(names, name) && !w.ended[name] {
			v.parties = append(v.parties, x.waiter(name, x.waitsIn(name)))
		}
	}
	if len(names) == 0 {
		x.addWaiters(v, nil)
		return
	}
	in := ""
	if f.Part != "" {
		in = " in " + f.Part
	}
	bug, about, who := w.kind()
	if bug != "" && !slices.ContainsFunc(who, func(name string) bool { return slices.Contains(names, name) }) {
		goes := " goes"
		if len(names) > 1 {
			goes = " go"
		}
		v.bug = "deadlock" + bug
		v.headline = fmt.Sprintf("deadlock%s%s: %s, while %s%s on for ever (%s)", in, bug, about, format.Several(names), goes, f.Kind)
	} else if who = nil; f.Kind == trace.FailSteps {
		v.headline = fmt.Sprintf("livelock%s: %s, for ever (%s)", in, x.roundsInWords(names, rounds), f.Kind)
	}
	x.addWaiters(v, who)
	if v.headline != f.String() {
		v.remarks = append(v.remarks, fmt.Sprintf("%s: %s", f.Kind, f.Msg))
	}
	for _, name := range names {
		v.seeds = append(v.seeds, rounds[name].entries...)
	}
	if e := &x.entries[rounds[names[0]].last()[0]]; v.at.File == "" && e.File != "" {
		v.at = outside(x.stackOf(e))
	}
}

// isPseudo reports whether that is the name of what is no goroutine of the program.
func isPseudo(name string) bool { return name == "clock" || strings.HasPrefix(name, "timer ") }

// addWaiters makes goroutines that wait part of what a ruling is about. Those of the list come
// first.
func (x *examination) addWaiters(v *ruling, who []string) {
	slices.SortStableFunc(v.parties, func(p, q Party) int {
		return oneIf(slices.Contains(who, q.Goroutine)) - oneIf(slices.Contains(who, p.Goroutine))
	})
	for k := range v.parties {
		p := &v.parties[k]
		i := x.waits.last[p.Goroutine]
		v.seeds = append(v.seeds, i)
		v.seeds = append(v.seeds, x.waits.holds[p.Goroutine]...)
		p.Does += fmt.Sprintf(", since step %s of %s", format.Grouped(int64(x.entries[i].Step)), format.Grouped(int64(x.Length)))
		if n := len(p.Acts); v.at.File == "" && n > 0 && len(p.Acts[n-1].Stack) > 0 {
			v.at = outside(p.Acts[n-1].Stack)
		}
	}
}

// waitsIn says what a goroutine waits for at the end, as the record knows it.
func (x *examination) waitsIn(name string) string {
	e := &x.entries[x.waits.last[name]]
	switch e.Kind {
	case trace.OpSleep:
		return "sleeps"
	case trace.OpJoin:
		return "waits for the end of another goroutine"
	}
	text := "waits in " + e.Op()
	if o := naming.Object(e); o != "" {
		text += " of " + o
	}
	if by := x.waits.holders(name); len(by) > 0 {
		text += ", held by " + by[0]
	}
	return text
}

// repetition is what a goroutine does again and again.
type repetition struct {
	entries []int // of the last rounds, which a report shows
	length  int   // of a round
}

func (r repetition) last() []int { return r.entries[len(r.entries)-r.length:] }

// repeats returns the goroutines that do the same again and again up to the end of the execution,
// main first, and what that is.
func (x *examination) repeats() (names []string, rounds map[string]repetition) {
	all := make(map[string][]int)
	for i := range x.entries {
		if e := &x.entries[i]; e.Step >= 0 && !isPseudo(e.Name) {
			all[e.Name] = append(all[e.Name], i)
		}
	}
	rounds = make(map[string]repetition)
	for name, own := range all {
		if own[len(own)-1] < len(x.entries)-len(x.entries)/4 {
			continue
		}
		if r := x.repetition(own); r.length > 0 {
			names, rounds[name] = append(names, name), r
		}
	}
	slices.SortFunc(names, format.MainFirst)
	return names, rounds
}

// repetition returns, of the entries of a goroutine, those that it repeats last, none if there are
// none.
func (x *examination) repetition(own []int) repetition {
	for end := len(own); end > len(own)-latest && end > 0; end-- {
		for length := 1; length <= longestCycle && leastRounds*length <= end; length++ {
			same := 0
			for same < (leastRounds-1)*length && likeEntry(&x.entries[own[end-1-same]], &x.entries[own[end-1-same-length]]) {
				same++
			}
			if same == (leastRounds-1)*length {
				return repetition{own[end-shownRounds*length : end], length}
			}
		}
	}
	return repetition{}
}

func likeEntry(a, b *exec.Entry) bool {
	return a.Name == b.Name && a.Op() == b.Op() && a.Obj == b.Obj && a.Line == b.Line && a.File == b.File
}

// roundsInWords says what goroutines repeat. Those that repeat the same are named together.
func (x *examination) roundsInWords(names []string, rounds map[string]repetition) string {
	const most = 4
	by := make(map[string][]string) // by what they repeat
	var order []string
	for _, name := range names {
		round := x.roundInWords(rounds[name].last())
		if by[round] == nil {
			order = append(order, round)
		}
		by[round] = append(by[round], name)
	}
	var said []string
	for i, round := range order {
		if i == most {
			said = append(said, format.Counted(int64(len(order)-most), "other loop"))
			break
		}
		verb := " repeats "
		if len(by[round]) > 1 {
			verb = " repeat "
		}
		said = append(said, format.Several(by[round])+verb+round)
	}
	return strings.Join(said, "; ")
}

// roundInWords says what is done in a round.
func (x *examination) roundInWords(round []int) string {
	var said []string
	for _, i := range round {
		e := &x.entries[i]
		text := e.Op()
		if o := naming.Object(e); o != "" {
			text += " " + o
		}
		if e.File != "" {
			text += " (" + position(e) + ")"
		}
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	if len(said) > 4 {
		return format.Counted(int64(len(round)), "step")
	}
	return format.Together(said)
}
