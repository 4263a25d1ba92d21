package main

import (
	"fmt"
	"strings"
)

// series is what a paper prints for one program and engine, for bounds of 0, 1, 2.
type series struct {
	programs []string // the program, and variants of it that the paper may have had
	printed  [3]int64
}

// The reasons for which a count may differ from the printed one. A reason is only
// given if, with that change, all counts of the series are the printed ones.
const (
	atStart      = "a private read at the start of every goroutine"
	oneLater     = "counts printed one bound later"
	notExplained = "not explained"
)

// explain says under which change all that is printed of the row's series comes
// out, counting by count. What is known of the program beside is added.
func (w row) explain(count func(row) (executions int64, ok bool)) string {
	reason := notExplained
	if w.series != nil {
		reason = w.series.explain(w, count)
	}
	if w.note != "" {
		reason += "; " + w.note
	}
	return reason
}

func (s *series) explain(w row, count func(row) (int64, bool)) string {
	for later := range 2 {
		for i, program := range s.programs {
			if !s.comesOut(w, program, later, count) {
				continue
			}
			var changes []string
			if i > 0 {
				changes = append(changes, atStart)
			}
			if later > 0 {
				changes = append(changes, oneLater)
			}
			return fmt.Sprintf("equal with %s", strings.Join(changes, " and "))
		}
	}
	return notExplained
}

// comesOut reports whether the engine of w makes as many executions of the
// program with each bound as are printed for one that is larger by later.
func (s *series) comesOut(w row, program string, later int, count func(row) (int64, bool)) bool {
	for bound := range len(s.printed) - later {
		w.program, w.setting.bound = program, &bound
		if n, ok := count(w); !ok || n != s.printed[bound+later] {
			return false
		}
	}
	return true
}
