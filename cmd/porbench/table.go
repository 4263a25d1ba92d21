package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por/engine"
)

// row is one figure that a paper prints.
type row struct {
	program string
	n, m    int
	setting setting
	column  string // what the paper calls the engine
	printed figure // of executions, or of traces where traces is set
	traces  bool
	blocked string // printed, "" if it is not
	checks  int64  // printed dependence checks, 0 if they are not
	pairs   bool   // checks are of pairs of events, and the time is compared with that of source
	seconds string // printed, "" if they are not
	memory  string // printed, in megabytes, "" if it is not
	note    string // what to know if the figures differ
	series  *series
}

// figure is a number as it is printed, which may be rounded.
type figure struct {
	text        string // "" if there is none
	least, most int64
}

func exactly(n int64) figure { return figure{strconv.FormatInt(n, 10), n, n} }

// thousands is for figures such as 15K. The paper rounds some of them up and
// some of them down.
func thousands(n int64) figure {
	return figure{strconv.FormatInt(n, 10) + "K", 1000*n - 999, 1000*n + 999}
}

func (f figure) holds(n int64) bool { return f.least <= n && n <= f.most }

var tables = map[string]func() []row{
	"eager":   eagerTable,
	"qpor":    qporTable,
	"bounded": boundedTable,
}

var tableNames = []string{"eager", "qpor", "bounded", statefulTable}

// defaultRowTime is how long a row of a table may take.
const defaultRowTime = 10 * time.Second

// The verdicts on a row.
const (
	verdictEqual     = "equal"
	verdictDifferent = "different"
	verdictLate      = "not finished"
	verdictNoEngine  = "no such engine yet"
	verdictNoFigure  = "nothing printed"
)

var verdicts = []string{verdictEqual, verdictDifferent, verdictLate, verdictNoEngine, verdictNoFigure}

// runTable runs all rows of a table, or those of one engine, and marks each.
func runTable(r request, e command.Env) int {
	rows := tables[r.table]()
	if name := r.setting.name; name != "" {
		rows = slices.DeleteFunc(rows, func(w row) bool { return w.setting.name != name })
		if len(rows) == 0 {
			return e.Misused("bench: table %s has no engine %q; allowed: %s", r.table, name, strings.Join(enginesOf(r.table), ", "))
		}
	}
	limit := r.timeout
	if limit == 0 {
		limit = defaultRowTime
	}
	if !r.json {
		fmt.Fprintf(e.Out, rowFormat, "program", "engine", "as", "printed", "ours", "blocked", "ours", "checks", "ours", "seconds", "ours", "MB", "ours", "")
	}
	tally := make(map[string]int)
	counts := make(map[string]int64)
	var source contest // the latest row of that engine
	for _, w := range rows {
		res, interrupted, err := w.run(r.table, limit, e)
		if err != nil {
			return e.Failedf("bench: %v", err)
		}
		if w.setting.name == "source" {
			source = contest{w, res}
		}
		if w.pairs && !interrupted {
			if err := (contest{w, res}).compare(source); err != nil {
				return e.Failedf("bench: %v", err)
			}
		}
		if res.Verdict == verdictDifferent && r.table == "bounded" {
			res.Note = w.explain(func(w row) (int64, bool) { return w.count(r.table, limit, e, counts) })
		}
		tally[res.Verdict]++
		if r.json {
			err = writeJSON(e.Out, res)
		} else {
			_, err = fmt.Fprintln(e.Out, res)
		}
		if err != nil {
			return e.Failedf("bench: %v", err)
		}
		if interrupted {
			return command.Interrupted
		}
	}
	if !r.json {
		var parts []string
		for _, v := range verdicts {
			if tally[v] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", tally[v], v))
			}
		}
		fmt.Fprintf(e.Out, "%d rows: %s\n", len(rows), strings.Join(parts, ", "))
	}
	return command.OK
}

// count returns how many executions the engine of w makes of its program, unless
// the time is over before that. It keeps them in counts.
func (w row) count(table string, limit time.Duration, e command.Env, counts map[string]int64) (n int64, ok bool) {
	key := fmt.Sprint(w.program, " ", w.n, " ", w.m, " ", w.setting.name, " ", *w.setting.bound)
	if n, ok = counts[key]; ok {
		return n, true
	}
	res, _, err := w.run(table, limit, e)
	if err != nil || res.Executions == nil || res.Verdict == verdictLate {
		return 0, false
	}
	counts[key] = *res.Executions
	return *res.Executions, true
}

func enginesOf(table string) []string {
	var names []string
	for _, w := range tables[table]() {
		if !slices.Contains(names, w.setting.name) {
			names = append(names, w.setting.name)
		}
	}
	return names
}

// run runs a row, unless its engine does not exist.
func (w row) run(table string, limit time.Duration, e command.Env) (res *rowResult, interrupted bool, err error) {
	res = &rowResult{
		Table: table, Program: w.program, N: w.n, M: w.m,
		Engine: w.setting.name, K: w.setting.k, Bound: w.setting.bound, Column: w.column,
		Printed: w.printed.text, PrintedBlocked: w.blocked, PrintedChecks: w.checks,
		PrintedSeconds: w.seconds, PrintedMemory: w.memory,
	}
	if _, ok := engine.Named(w.setting.name); !ok {
		res.Verdict = verdictNoEngine
		return res, false, nil
	}
	engine, err := w.setting.engine()
	if err != nil {
		return nil, false, err
	}
	p, ok := paper.Named(w.program)
	if !ok {
		return nil, false, fmt.Errorf("table %s: no program %q", table, w.program)
	}
	if err := p.Check(w.n, w.m); err != nil {
		return nil, false, fmt.Errorf("table %s: %w", table, err)
	}
	s := &search{program: p, n: w.n, m: w.m, setting: w.setting, engine: engine, timeout: limit, traces: w.traces}
	if e.Progress {
		s.watch = newProgress(s, e.Err)
	}
	got, err := s.run(e.Interrupt)
	if err != nil {
		return nil, false, err
	}
	res.Executions, res.Traces, res.Seconds = &got.Executions, got.Traces, &got.Seconds
	res.Blocked, res.Checks, res.PeakHeap, res.CPUSeconds = &got.Blocked, &got.Checks, &got.PeakHeap, &got.CPUSeconds
	if w.pairs {
		res.Checks, res.RaceChecks, res.Unsatisfiable = &got.PairChecks, &got.RaceChecks, &got.Unsatisfiable
	}
	count := got.Executions
	if w.traces && got.Traces != nil {
		count = *got.Traces
	}
	switch {
	case !got.Covered:
		res.Verdict = verdictLate
	case w.printed.text == "" && (w.printed == figure{} || w.printed.holds(count)):
		res.Verdict = verdictNoFigure
	case w.printed.holds(count):
		res.Verdict = verdictEqual
	default:
		res.Verdict, res.Note = verdictDifferent, w.note
	}
	return res, s.interrupted, nil
}
