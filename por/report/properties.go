package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gopor/gopor/internal/format"
)

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
