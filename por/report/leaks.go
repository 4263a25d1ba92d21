package report

import (
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// leakedInShort says of leaked goroutines which go statements have started them, and what they wait
// for, where. Those that do the same are named together. Where there is not room for all of them,
// different operations come first.
func (x *examination) leakedInShort(parties []Party) string {
	const most = 3
	type same struct{ start, does, place string }
	var all []same
	names := make(map[same][]string)
	waits := make(map[same]*trace.Wait)
	for _, p := range variedFirst(parties) {
		s := same{does: p.Does}
		if i := slices.IndexFunc(x.entries, func(e exec.Entry) bool { return e.Remark == exec.RemarkGo && e.Value == p.Goroutine }); i >= 0 {
			s.start = at(&x.entries[i])
		}
		if i, ok := x.waits.last[p.Goroutine]; ok {
			s.place = at(&x.entries[i])
		}
		if waits[s] == nil {
			all, waits[s] = append(all, s), p.wait
		}
		names[s] = append(names[s], p.Goroutine)
	}
	var said []string
	others := 0
	for i, s := range all {
		if i >= most {
			others += len(names[s])
			continue
		}
		said = append(said, format.Several(names[s])+s.start+" "+forEver(waits[s], len(names[s]) > 1)+s.place)
	}
	if others > 0 {
		said = append(said, format.Counted(int64(others), "other"))
	}
	return strings.Join(said, ", ")
}

// variedFirst returns goroutines that wait, those first that wait in an operation which none before
// them waits in.
func variedFirst(parties []Party) []Party {
	var first, rest []Party
	ops := make(map[string]bool)
	for _, p := range parties {
		if op := p.wait.Operation(); !ops[op] {
			ops[op] = true
			first = append(first, p)
		} else {
			rest = append(rest, p)
		}
	}
	return append(first, rest...)
}

// forEver says of one goroutine, or of several, what it does for ever.
func forEver(w *trace.Wait, several bool) string {
	verb, rest := w.Verb(), w.Rest()
	if !several {
		verb += "s"
	}
	if w.Verb() == "wait" && rest != " for ever" {
		verb += " for ever"
	}
	return verb + rest
}
