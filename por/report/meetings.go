package report

import "github.com/gopor/gopor/sched/trace"

// meetings returns the locks of the standard library that are all by which two goroutines of the
// program meet: two goroutines that write to one log.Logger have nothing else in common, and which
// of them came first is what the failure depends on. Of each goroutine it is the latest one of an
// object. Own are those of the steps shown that the library does not make. Where goroutines use
// sockets they meet there, and the locks of package net/http say little.
func (d *Diagnosis) meetings(shown, own []ranked) map[int]bool {
	m := make(meeting)
	users := make(map[string]bool)
	for _, r := range own {
		s := &d.Steps[r.index]
		if s.kind.OfSocket() {
			return nil
		}
		users[s.Goroutine] = users[s.Goroutine] || s.Number >= 0
		m.add(s)
	}
	latest := make(map[[2]string]int) // by object and goroutine
	decides := make(map[int]bool)
	for k := len(shown) - 1; k >= 0; k-- {
		i := shown[k].index
		s := &d.Steps[i]
		key := [2]string{s.Object, s.Goroutine}
		if _, later := latest[key]; later || !s.Library || !isLock(s.kind) || !users[s.Goroutine] {
			continue
		}
		latest[key] = i
		for h := range users {
			if j, ok := latest[[2]string{s.Object, h}]; ok && h != s.Goroutine && !m.meet(s.Goroutine, h) {
				decides[i], decides[j] = true, true
			}
		}
		for j := range decides {
			m.add(&d.Steps[j])
		}
	}
	return decides
}

// meeting has, by object and goroutine, the kinds of what is done, as bits.
type meeting map[string]map[string]uint64

func (m meeting) add(s *Step) {
	if s.Object == "" {
		return
	}
	if m[s.Object] == nil {
		m[s.Object] = make(map[string]uint64)
	}
	m[s.Object][s.Goroutine] |= 1 << s.kind
}

// meet reports whether two goroutines do something that makes a difference to each other.
func (m meeting) meet(g, h string) bool {
	for _, by := range m {
		a, b := by[g], by[h]
		if a != 0 && b != 0 && (a|b)&^reading != 0 && (a|b)&^counting != 0 {
			return true
		}
	}
	return false
}

// reading and counting have kinds of operations that commute with their own.
const (
	reading = 1<<trace.OpRead | 1<<trace.OpLoad | 1<<trace.OpLen | 1<<trace.OpCtxErr | 1<<trace.OpNow | 1<<trace.OpRLock | 1<<trace.OpRUnlock
	// Of a WaitGroup, but for the Wait.
	counting = 1<<trace.OpWGAdd | 1<<trace.OpWGDone
)
