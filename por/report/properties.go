package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
)

// Properties are what executions of a search have reached, and what some should reach.
type Properties struct {
	Fresh bool // since Begin a name was reached that no execution had reached before
	// Unproven are names that executions of earlier searches have reached, if these were not run
	// again.
	Unproven []string
	count    map[string]int64
	again    map[string]int64 // how many of these executions are of earlier searches
	// What was reached since Begin, and in which execution since then; how many there were.
	since   map[string]int64
	noted   int64
	isAgain bool
}

// Begin makes ready for executions of which Fresh and Since are to tell. The argument says that
// they are of an earlier search.
func (p *Properties) Begin(again bool) {
	p.Fresh, p.isAgain, p.noted = false, again, 0
	clear(p.since)
}

// Since returns what was reached since Begin, each with the number of the first execution that has,
// from 1 on.
func (p *Properties) Since() map[string]int64 { return maps.Clone(p.since) }

// Note adds what an execution has reached, and what it has declared.
func (p *Properties) Note(names, declared []string) {
	if p.count == nil && len(names)+len(declared) > 0 {
		p.count, p.again, p.since = make(map[string]int64), make(map[string]int64), make(map[string]int64)
	}
	p.noted++
	for _, name := range declared {
		p.count[name] += 0
	}
	for _, name := range names {
		p.Fresh = p.Fresh || p.count[name] == 0
		p.count[name]++
		if p.since[name] == 0 {
			p.since[name] = p.noted
		}
		if p.isAgain {
			p.again[name]++
		}
	}
}

// List returns the properties, those that were not reached first.
func (p *Properties) List() (all []Property) {
	for _, name := range p.Unproven {
		p.Note(nil, []string{name})
	}
	for name, n := range p.count {
		all = append(all, Property{Name: name, Executions: n, Earlier: n == p.again[name] && (n > 0 || slices.Contains(p.Unproven, name))})
	}
	slices.SortFunc(all, Property.Compare)
	return all
}

// Property is what executions may reach; see por.Sometimes.
type Property struct {
	Name       string
	Executions int64 // that have reached it
	// Earlier says that no execution has reached it but such as are of an earlier search, and were
	// run again. If there are none, these were not run again.
	Earlier bool
}

// Compare orders properties: those that were not reached come first, then by name.
func (p Property) Compare(q Property) int {
	if (p.Executions == 0) != (q.Executions == 0) {
		return cmp.Compare(min(p.Executions, 1), min(q.Executions, 1))
	}
	return cmp.Compare(p.Name, q.Name)
}

// properties says which properties were reached, beginning with a semicolon.
func (v *Verdict) properties() string {
	var never, reached []string
	earlier := 0
	for _, p := range v.Properties {
		n := format.Grouped(p.Executions)
		switch {
		case p.Earlier && p.Executions == 0:
			reached = append(reached, p.Name+" (on an earlier run; not run again)")
		case p.Earlier:
			reached = append(reached, fmt.Sprintf("%s (in %s of earlier runs)", p.Name, n))
		case p.Executions == 0:
			never = append(never, p.Name)
		default:
			reached = append(reached, fmt.Sprintf("%s (in %s)", p.Name, n))
		}
		if p.Earlier {
			earlier++
		}
	}
	text := ""
	if len(never) > 0 {
		text += "; NEVER reached: " + strings.Join(never, ", ")
	}
	switch {
	case earlier > 0:
		text += fmt.Sprintf("; reached %d of the %d properties, %d on earlier runs only: ", len(reached), len(v.Properties), earlier)
	case len(reached) > 0:
		text += "; reached: "
	}
	return text + strings.Join(reached, ", ")
}
