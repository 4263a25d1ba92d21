package toy

import (
	"sort"
	"strconv"

	"github.com/gopor/gopor/sched/trace"
)

// AppendState appends a text of the state that has been reached: the values of
// the cells, what every goroutine has done and got, where it waits, what has
// failed. Two executions that nothing in the program can tell apart have the
// same state.
func (r *Runner) AppendState(b []byte) []byte {
	for i, o := range r.p.Objects {
		if o.Kind == Cell {
			b = append(append(b, o.Name...), '=')
			b = append(strconv.AppendInt(b, r.m.Value(r.objs[i]), 10), ' ')
		}
	}
	for i := range r.gs {
		if g := &r.gs[i]; g.index >= 0 {
			b = append(strconv.AppendInt(append(b, "g"...), int64(i), 10), ':')
			b = appendThread(b, int(g.index), int(g.pc), g.ended, g.log)
		}
	}
	return appendFailures(b, r.Outcome())
}

// appendFailures appends what is wrong, in an order that does not depend on the
// execution's.
func appendFailures(b []byte, failures []trace.Failure) []byte {
	if len(failures) == 0 {
		return b
	}
	var fs []string
	for _, f := range failures {
		fs = append(fs, "g"+strconv.Itoa(int(f.G))+" "+f.Msg)
	}
	sort.Strings(fs)
	for _, f := range fs {
		b = append(append(b, "; "...), f...)
	}
	return b
}

// FinalState returns the state as a string.
func (r *Runner) FinalState() string { return string(r.AppendState(nil)) }

// appendThread appends which thread runs, where it stands, and all its results.
func appendThread(b []byte, index, pc int, ended bool, log []int64) []byte {
	b = strconv.AppendInt(append(b, 't'), int64(index), 10)
	b = append(b, '(')
	for i, n := range log {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	if ended {
		return append(b, ") "...)
	}
	b = strconv.AppendInt(append(b, ")@"...), int64(pc), 10)
	return append(b, ' ')
}
