package por

import (
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched"
)

// leakedInShort says of leaked goroutines which go statements have started them, and what they wait for, where. Those
// that do the same are named together. Where there is not room for all of them, different operations come
// first.
func (x *examination) leakedInShort(parties []Party) string {
	const most = 3
	var said []string
	var names [][]string // by what is said
	for _, p := range variedFirst(parties) {
		start, place := "", ""
		if i := slices.IndexFunc(x.entries, func(e sched.Entry) bool { return e.Op == "go" && e.Value == p.Goroutine }); i >= 0 {
			start = at(&x.entries[i])
		}
		if i, ok := x.waits.last[p.Goroutine]; ok {
			place = at(&x.entries[i])
		}
		text := start + " " + forEver(p.Does) + place
		i := slices.Index(said, text)
		if i < 0 {
			i = len(said)
			said, names = append(said, text), append(names, nil)
		}
		names[i] = append(names[i], p.Goroutine)
	}
	others := 0
	for i, text := range said {
		if i >= most {
			others += len(names[i])
			continue
		}
		if len(names[i]) > 1 {
			text = strings.Replace(text, " waits for ever", " wait for ever", 1)
			text = strings.Replace(text, " polls", " poll", 1)
		}
		said[i] = several(names[i]) + text
	}
	if len(said) > most {
		said = append(said[:most], format.Counted(int64(others), "other"))
	}
	return strings.Join(said, ", ")
}

// variedFirst returns goroutines that wait, those first that wait in an operation which none before them
// waits in.
func variedFirst(parties []Party) []Party {
	var first, rest []Party
	ops := make(map[string]bool)
	for _, p := range parties {
		op, _, _ := strings.Cut(p.Does, " of ")
		if ops[op] {
			rest = append(rest, p)
			continue
		}
		ops[op] = true
		first = append(first, p)
	}
	return append(first, rest...)
}

// forEver says of what a goroutine does that it does not end.
func forEver(does string) string {
	if rest, ok := strings.CutPrefix(does, "waits "); ok && rest != "for ever" {
		return "waits for ever " + rest
	}
	return does
}
