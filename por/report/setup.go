package report

import (
	"slices"

	"github.com/gopor/gopor/sched/exec"
)

// This file leaves out of a schedule how it begins. What happens before the first go statement of
// what decides happens in every execution.

// longSetup is the number of events that are worth leaving out. Fewer help to see what the program
// is about.
const longSetup = 10

// leaveSetup removes from the entries that matter those that come before everything decisive,
// except uses of the objects that the failure is about.
func (x *examination) leaveSetup(matters map[int]bool, seeds []int) {
	about := make(map[string]bool)
	for _, i := range seeds {
		about[x.entries[i].Obj] = true
	}
	decides := x.decisive(matters, seeds)
	setup, events := x.setup(decides), 0
	for i := range setup {
		switch e := &x.entries[i]; {
		case !matters[i] || decides[i] || e.Obj != "" && about[e.Obj]:
			delete(setup, i)
		case e.Step >= 0:
			events++
		}
	}
	if events < longSetup {
		return
	}
	for i := range setup {
		delete(matters, i)
	}
}

// decisive returns the entries by which an execution differs from others: those that the failure is
// about, preemptions, and those that could have come in another order. It looks at entries that
// matter.
func (x *examination) decisive(matters map[int]bool, seeds []int) map[int]bool {
	decides, entry := make(map[int]bool), make(map[int]int)
	for _, i := range seeds {
		decides[i] = true
	}
	for i := range matters {
		step := x.entries[i].Step
		if step < 0 {
			continue
		}
		entry[step] = i
		if _, preempts := slices.BinarySearch(x.Preempted, step); preempts {
			decides[i] = true
		}
	}
	for step, i := range entry {
		if x.Past == nil || step >= x.Past.Len() {
			continue
		}
		for _, r := range x.Past.Races(step) {
			if j, ok := entry[int(r)]; ok {
				decides[i], decides[j] = true, true
			}
		}
	}
	return decides
}

// setup returns the entries that happen before the first go statement of a goroutine with something
// decisive, or with such a goroutine below it. If everything decisive is below that goroutine, its
// own go statements are next.
func (x *examination) setup(decides map[int]bool) map[int]bool {
	starts := make(map[string]int) // by goroutine, the go statement
	for i := range x.entries {
		if e := &x.entries[i]; e.Remark == exec.RemarkGo {
			starts[e.Value] = i
		}
	}
	decisive := make(map[string]bool) // goroutines
	for i := range decides {
		decisive[x.entries[i].Name] = true
	}
	within := make(map[string]int) // by goroutine, how many of it and those below are decisive
	for name := range decisive {
		within[name]++
		for at, ok := starts[name]; ok; at, ok = starts[name] {
			name = x.entries[at].Name
			within[name]++
		}
	}
	setup := make(map[int]bool)
	for name := "main"; ; {
		at := slices.IndexFunc(x.entries, func(e exec.Entry) bool {
			return e.Remark == exec.RemarkGo && e.Name == name && within[e.Value] > 0
		})
		if at < 0 {
			return setup
		}
		x.addBefore(setup, at)
		if name = x.entries[at].Value; within[name] < len(decisive) {
			return setup
		}
	}
}

// addBefore adds the entries that happen before a go statement.
func (x *examination) addBefore(setup map[int]bool, at int) {
	name, latest := x.entries[at].Name, -1 // the latest event of the goroutine
	past := map[string]bool{name: true}    // goroutines of which everything earlier happens before
	for i := at - 1; i >= 0; i-- {
		e := &x.entries[i]
		switch {
		case e.Name == name:
			latest = max(latest, e.Step)
		case e.Step >= 0 && latest >= 0 && !past[e.Name] && x.Past != nil:
			past[e.Name] = x.Past.Before(e.Step, latest)
		}
		if past[e.Name] {
			setup[i] = true
		}
	}
}
