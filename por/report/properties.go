package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
)

// Properties are what executions of a search have reached, and what some should reach.
type Properties struct {
	Fresh bool // a name was reached that no execution had reached before; set by Note only
	count map[string]int64
}

// Note adds what an execution has reached, and what it has declared.
func (p *Properties) Note(names, declared []string) {
	if p.count == nil && len(names)+len(declared) > 0 {
		p.count = make(map[string]int64)
	}
	for _, name := range declared {
		p.count[name] += 0
	}
	for _, name := range names {
		p.Fresh = p.Fresh || p.count[name] == 0
		p.count[name]++
	}
}

// List returns the properties, those that were not reached first.
func (p *Properties) List() (all []Property) {
	for name, n := range p.count {
		all = append(all, Property{Name: name, Executions: n})
	}
	slices.SortFunc(all, Property.Compare)
	return all
}

// Property is what executions may reach; see por.Sometimes.
type Property struct {
	Name       string
	Executions int64 // that have reached it
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
	for _, p := range v.Properties {
		if p.Executions == 0 {
			never = append(never, p.Name)
		} else {
			reached = append(reached, fmt.Sprintf("%s (in %s)", p.Name, format.Grouped(p.Executions)))
		}
	}
	text := ""
	if len(never) > 0 {
		text += "; NEVER reached: " + strings.Join(never, ", ")
	}
	if len(reached) > 0 {
		text += "; reached: " + strings.Join(reached, ", ")
	}
	return text
}
