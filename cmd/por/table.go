package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por"
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

// rowResult is a row as it is printed with -json.
type rowResult struct {
	Table          string   `json:"table"`
	Program        string   `json:"program"`
	N              int      `json:"n"`
	M              int      `json:"m"`
	Engine         string   `json:"engine"`
	K              *int     `json:"k"`
	Bound          *int     `json:"bound"`
	Column         string   `json:"column"`
	Printed        string   `json:"printed"`
	Executions     *int64   `json:"executions"`
	Traces         *int64   `json:"traces"`
	PrintedBlocked string   `json:"printed_blocked"`
	Blocked        *int64   `json:"blocked"`
	PrintedChecks  int64    `json:"printed_dependence_checks"`
	Checks         *int64   `json:"dependence_checks"`
	PrintedSeconds string   `json:"printed_seconds"`
	RaceChecks     *int64   `json:"race_checks,omitempty"`
	Unsatisfiable  *int64   `json:"unsatisfiable_systems,omitempty"`
	Seconds        *float64 `json:"seconds"`
	CPUSeconds     *float64 `json:"cpu_seconds"`
	Ratio          *float64 `json:"ratio_to_source,omitempty"` // of the CPU time
	PrintedMemory  string   `json:"printed_megabytes"`
	PeakHeap       *uint64  `json:"peak_heap_bytes"`
	Verdict        string   `json:"verdict"`
	Note           string   `json:"note,omitempty"`
}

// runTable runs all rows of a table, or those of one engine, and marks each.
func runTable(r request, e env) int {
	rows := tables[r.table]()
	if name := r.setting.name; name != "" {
		rows = slices.DeleteFunc(rows, func(w row) bool { return w.setting.name != name })
		if len(rows) == 0 {
			return e.misused("bench: table %s has no engine %q; allowed: %s", r.table, name, strings.Join(enginesOf(r.table), ", "))
		}
	}
	limit := r.timeout
	if limit == 0 {
		limit = defaultRowTime
	}
	if !r.json {
		fmt.Fprintf(e.out, rowFormat, "program", "engine", "as", "printed", "ours", "blocked", "ours", "checks", "ours", "seconds", "ours", "MB", "ours", "")
	}
	tally := make(map[string]int)
	counts := make(map[string]int64)
	var source contest // the latest row of that engine
	for _, w := range rows {
		res, interrupted, err := w.run(r.table, limit, e)
		if err != nil {
			return e.disappointed("bench: %v", err)
		}
		if w.setting.name == "source" {
			source = contest{w, res}
		}
		if w.pairs && !interrupted {
			if err := (contest{w, res}).compare(source); err != nil {
				return e.disappointed("bench: %v", err)
			}
		}
		if res.Verdict == verdictDifferent && r.table == "bounded" {
			res.Note = w.explain(func(w row) (int64, bool) { return w.count(r.table, limit, e, counts) })
		}
		tally[res.Verdict]++
		if r.json {
			err = json.NewEncoder(e.out).Encode(res)
		} else {
			_, err = fmt.Fprintln(e.out, res)
		}
		if err != nil {
			return e.disappointed("bench: %v", err)
		}
		if interrupted {
			return exitInterrupted
		}
	}
	if !r.json {
		var parts []string
		for _, v := range verdicts {
			if tally[v] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", tally[v], v))
			}
		}
		fmt.Fprintf(e.out, "%d rows: %s\n", len(rows), strings.Join(parts, ", "))
	}
	return exitOK
}

// contest is a row and its result.
type contest struct {
	row
	res *rowResult
}

// compare notes the ratio of the CPU time to that of source, if both have finished.
func (c contest) compare(source contest) (err error) {
	mine, its := c.res, source.res
	if its == nil || its == mine || its.Program != mine.Program || its.N != mine.N || its.Verdict == verdictLate || mine.Verdict == verdictLate ||
		its.CPUSeconds == nil || mine.CPUSeconds == nil {
		return nil
	}
	ratio, err := duel(c.row, source.row, *mine.CPUSeconds, *its.CPUSeconds)
	mine.Ratio = &ratio
	return err
}

// count returns how many executions the engine of w makes of its program, unless
// the time is over before that. It keeps them in counts.
func (w row) count(table string, limit time.Duration, e env, counts map[string]int64) (n int64, ok bool) {
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
func (w row) run(table string, limit time.Duration, e env) (res *rowResult, interrupted bool, err error) {
	res = &rowResult{
		Table: table, Program: w.program, N: w.n, M: w.m,
		Engine: w.setting.name, K: w.setting.k, Bound: w.setting.bound, Column: w.column,
		Printed: w.printed.text, PrintedBlocked: w.blocked, PrintedChecks: w.checks,
		PrintedSeconds: w.seconds, PrintedMemory: w.memory,
	}
	if _, ok := por.EngineNamed(w.setting.name); !ok {
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
	if e.progress {
		s.watch = newProgress(s, e.err)
	}
	got, err := s.run(e.interrupt)
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

const rowFormat = "%-20s %-18s %-14s %9s %9s %8s %8s %11s %11s %7s %8s %5s %5s  %s\n"

func (r *rowResult) String() string {
	sizes := ""
	if p, ok := paper.Named(r.Program); ok && p.N != (paper.Size{}) {
		sizes = strconv.Itoa(r.N)
		if p.M != (paper.Size{}) {
			sizes += "," + strconv.Itoa(r.M)
		}
		sizes = "(" + sizes + ")"
	}
	engine := r.Engine
	if r.K != nil {
		engine += fmt.Sprintf(" k=%d", *r.K)
	}
	if r.Bound != nil {
		engine += fmt.Sprintf(" b=%d", *r.Bound)
	}
	checks := ""
	if r.PrintedChecks > 0 {
		checks = strconv.FormatInt(r.PrintedChecks, 10)
	}
	count := r.Executions
	if r.Traces != nil {
		count = r.Traces
	}
	seconds := "-"
	if r.Seconds != nil {
		seconds = fmt.Sprintf("%.3f", *r.Seconds)
	}
	memory := "-"
	if r.PeakHeap != nil {
		memory = fmt.Sprintf("%.0f", float64(*r.PeakHeap)/1e6)
	}
	verdict := r.Verdict
	if r.Note != "" {
		verdict += " (" + r.Note + ")"
	}
	if r.RaceChecks != nil {
		verdict += fmt.Sprintf(", %d race checks, %d unsatisfiable systems", *r.RaceChecks, *r.Unsatisfiable)
	}
	if r.Ratio != nil {
		verdict += fmt.Sprintf(", %.2f of the time of source", *r.Ratio)
	}
	line := fmt.Sprintf(rowFormat, r.Program+sizes, engine, dash(r.Column), dash(r.Printed), number(count),
		dash(r.PrintedBlocked), number(r.Blocked), dash(checks), number(r.Checks),
		dash(r.PrintedSeconds), seconds, dash(r.PrintedMemory), memory, verdict)
	return strings.TrimRight(line, "\n")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}
