package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// The kinds of bound.
var boundKinds = []string{"preemption", "delay"}

// setting is an engine as the command line asks for it.
type setting struct {
	name      string
	k         *int
	bound     *int
	boundKind string
	keying    trace.Keying
	workers   *int
}

// engine returns the engine of a setting. The error is one line that says what
// is allowed. The engines are those of package por; what they can be told they say
// themselves.
func (s setting) engine() (trace.Engine, error) {
	e, ok := engine.Named(s.name)
	if !ok {
		return nil, fmt.Errorf("unknown engine %q; allowed: %s", s.name, strings.Join(engine.Names(), ", "))
	}
	if s.k != nil {
		with := trace.Describe(e).WithK
		if with == nil {
			return nil, fmt.Errorf("-k does not apply to engine %s; %s", s.name, those(func(a trace.About) bool { return a.WithK != nil }))
		}
		if *s.k < 1 {
			return nil, fmt.Errorf("-k is %d, but has to be at least 1", *s.k)
		}
		e = with(*s.k)
	}
	if s.keying != (trace.Keying{}) {
		with := trace.Describe(e).WithKeying
		if with == nil {
			return nil, fmt.Errorf("-tracked and -exact do not apply to engine %s; %s", s.name, those(func(a trace.About) bool { return a.WithKeying != nil }))
		}
		e = with(s.keying)
	}
	if s.workers != nil {
		if trace.Describe(e).WithWorkers == nil {
			return nil, fmt.Errorf("-workers does not apply to engine %s; %s", s.name, those(func(a trace.About) bool { return a.WithWorkers != nil }))
		}
		if *s.workers < 1 {
			return nil, fmt.Errorf("-workers is %d, but has to be at least 1", *s.workers)
		}
	}
	if s.bound == nil {
		if s.boundKind != "" {
			return nil, fmt.Errorf("-bound-kind needs -bound")
		}
		return e, nil
	}
	with := trace.Describe(e).WithBound
	if with == nil {
		return nil, fmt.Errorf("-bound does not apply to engine %s; %s", s.name, those(func(a trace.About) bool { return a.WithBound != nil }))
	}
	if *s.bound < 0 {
		return nil, fmt.Errorf("-bound is %d, but must not be negative", *s.bound)
	}
	kind := s.boundKind
	if kind == "" {
		kind = boundKinds[0]
	}
	if !slices.Contains(boundKinds, kind) {
		return nil, fmt.Errorf("unknown -bound-kind %q; allowed: %s", kind, strings.Join(boundKinds, ", "))
	}
	return with(kind, *s.bound)
}

// limit returns the bound of a setting, none if it has none.
func (s setting) limit() bpor.Bound {
	switch {
	case s.bound == nil:
		return bpor.Bound{}
	case s.boundKind == "delay":
		return bpor.Delays(*s.bound)
	}
	return bpor.Preemptions(*s.bound)
}

// those says which engines have a property.
func those(property func(trace.About) bool) string {
	var names []string
	for _, name := range engine.Names() {
		if e, _ := engine.Named(name); property(trace.Describe(e)) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "no engine takes it yet"
	}
	return "allowed with: " + strings.Join(names, ", ")
}
