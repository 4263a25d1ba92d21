package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/gopor/gopor/sched/exec"
)

// result is what is printed of a run. A nil pointer stands for what does not
// apply or was not asked for.
type result struct {
	subject
	work
	Covered    bool  `json:"covered"`    // all that the engine promises to
	Exhaustive bool  `json:"exhaustive"` // covered, and nothing is taken for granted
	Failures   int64 `json:"failures"`   // executions that fail
	spent
	Kept *int64 `json:"kept_events"` // of an unfolding, at a time
	graph
	// Assumptions is what executions met that could change the result and was not
	// explored; there is none in an exhaustive search.
	Assumptions assumptions `json:"assumptions"`
}

// subject is what has run.
type subject struct {
	Program   string  `json:"program"`
	N         *int    `json:"n"`
	M         *int    `json:"m"`
	Engine    string  `json:"engine"`
	K         *int    `json:"k"`
	Bound     *int    `json:"bound"`
	BoundKind *string `json:"bound_kind"`
	Workers   *int    `json:"workers"`
}

// work counts what the engine did.
type work struct {
	Executions int64  `json:"executions"` // complete ones
	Blocked    int64  `json:"blocked"`    // given up as redundant
	Pruned     int64  `json:"pruned"`     // cut off by a bound
	Traces     *int64 `json:"traces"`     // distinct ones among the executions
	Expected   *int64 `json:"expected_traces"`
	Steps      int64  `json:"steps"`
	Replayed   int64  `json:"replayed"`
	Races      int64  `json:"races"`
	Checks     int64  `json:"dependence_checks"`
	// As counted by comparing events in pairs, by engines that do.
	PairChecks    int64 `json:"-"`
	RaceChecks    int64 `json:"-"`
	Unsatisfiable int64 `json:"-"`

	MaxDepth int `json:"max_depth"`
}

// spent is what the run took.
type spent struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Rate       float64 `json:"executions_per_cpu_second"`
	PeakHeap   uint64  `json:"peak_heap_bytes"`
}

// graph is that of states, by engines that recognise them.
type graph struct {
	States      *int64  `json:"states"`
	Transitions *int64  `json:"transitions"`
	GraphBytes  *int64  `json:"graph_bytes"`
	Basis       *string `json:"basis"` // how states were told apart, or why they were not
}

// assumption is one of them for machines. There is no file if it was met nowhere in
// particular.
type assumption struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

type assumptions []assumption

func newAssumptions(met []exec.Assumption) assumptions {
	all := make(assumptions, len(met))
	for i, a := range met {
		all[i] = assumption{a.Kind.String(), a.What, a.File, a.Line}
	}
	return all
}

func (as assumptions) String() string {
	texts := make([]string, len(as))
	for i, a := range as {
		texts[i] = fmt.Sprintf("%s: %s", a.Kind, a.What)
		if a.File != "" {
			texts[i] += fmt.Sprintf(" (%s:%d)", filepath.Base(a.File), a.Line)
		}
	}
	return fmt.Sprintf("%q", texts)
}

// String returns the fields that apply, as name=value in the order above.
func (r *result) String() string {
	var b strings.Builder
	v := reflect.ValueOf(*r)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Anonymous {
			continue // its fields follow
		}
		f := v.FieldByIndex(field.Index)
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				continue
			}
			f = f.Elem()
		}
		if f.Kind() == reflect.Slice && f.Len() == 0 || field.Tag.Get("json") == "-" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(field.Tag.Get("json"))
		b.WriteByte('=')
		switch {
		case field.Name == "Rate":
			fmt.Fprintf(&b, "%.0f", f.Float())
		case f.Kind() == reflect.Float64:
			fmt.Fprintf(&b, "%.3f", f.Float())
		default:
			fmt.Fprint(&b, f.Interface())
		}
	}
	return b.String()
}
