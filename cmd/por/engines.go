package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched/trace"
)

// The engines that bench knows are those of package por. What an engine can be
// told is asked of its value:

// partial is an engine with a parameter k, such as quasi-optimal reduction.
type partial interface {
	WithK(k int) trace.Engine
}

// bounded is an engine that stays within a bound. It refuses a kind of bound
// that it does not know.
type bounded interface {
	WithBound(kind string, bound int) (trace.Engine, error)
}

// The kinds of bound.
var boundKinds = []string{"preemption", "delay"}

// setting is an engine as the command line asks for it.
type setting struct {
	name      string
	k         *int
	bound     *int
	boundKind string
}

// engine returns the engine of a setting. The error is one line that says what
// is allowed.
func (s setting) engine() (trace.Engine, error) {
	e, ok := por.EngineNamed(s.name)
	if !ok {
		return nil, fmt.Errorf("unknown engine %q; allowed: %s", s.name, strings.Join(por.EngineNames(), ", "))
	}
	if s.k != nil {
		p, ok := e.(partial)
		if !ok {
			return nil, fmt.Errorf("-k does not apply to engine %s; %s", s.name, those(has[partial]))
		}
		if *s.k < 1 {
			return nil, fmt.Errorf("-k is %d, but has to be at least 1", *s.k)
		}
		e = p.WithK(*s.k)
	}
	if s.bound == nil {
		if s.boundKind != "" {
			return nil, fmt.Errorf("-bound-kind needs -bound")
		}
		return e, nil
	}
	b, ok := e.(bounded)
	if !ok {
		return nil, fmt.Errorf("-bound does not apply to engine %s; %s", s.name, those(has[bounded]))
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
	return b.WithBound(kind, *s.bound)
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

func has[T any](e trace.Engine) bool {
	_, ok := e.(T)
	return ok
}

// those says which engines have a property.
func those(property func(trace.Engine) bool) string {
	var names []string
	for _, name := range por.EngineNames() {
		if e, _ := por.EngineNamed(name); property(e) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "no engine takes it yet"
	}
	return "allowed with: " + strings.Join(names, ", ")
}

// draws reports whether an engine draws executions at random, and so never ends
// by itself.
func draws(e trace.Engine) bool {
	switch e.(type) {
	case por.Random, por.PCT, por.POS:
		return true
	}
	return false
}
