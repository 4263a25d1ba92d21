package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/irs"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

const (
	mostPoints = 6 // prefixes of a program that are measured
	candidates = 8 // first traces that are tried for one that is fast
	warmUp     = 5 // executions before those that are measured
)

// spinner computes for a while. It goes by what it computes and not by the clock, which
// also runs while other goroutines do.
type spinner struct{ rounds float64 } // in a nanosecond

func newSpinner() spinner {
	const n = 1 << 20
	least := time.Hour
	for range 5 {
		begun := time.Now()
		_ = compute(n)
		least = min(least, time.Since(begun))
	}
	return spinner{n / float64(least)}
}

//go:noinline
func compute(n int) (x uint64) {
	for x = 1; n > 0; n-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// of returns a function that computes for d.
func (s spinner) of(d time.Duration) func() {
	n := int(s.rounds * float64(d))
	if n == 0 {
		return func() {}
	}
	return func() { _ = compute(n) }
}

// relaxable returns a program as it is verified.
func relaxable(p paper.RelaxedProgram) func() { return p.Make(paper.Scheduled(func() {})) }

// relaxing returns how programs are verified.
func relaxing(candidates int, executions int64) irs.Options {
	return irs.Options{Sched: exec.Options{Races: sched.RaceExplore}, Candidates: candidates, MaxExecutions: executions}
}

// measure verifies a program and returns the costs of some of its prefixes, for each work.
func (r *enforcement) measure(p paper.RelaxedProgram, opt bool, spin spinner) (costs []cost, err error) {
	o := relaxing(1, 0)
	if opt {
		o.Candidates = candidates
	}
	var prefixes []*irs.Prefix
	o.Relaxed = func(p *irs.Prefix) { prefixes = append(prefixes, p) }
	res, err := irs.Verify(context.Background(), relaxable(p), o)
	if err != nil {
		return nil, err
	}
	if !res.Prefix.Complete {
		return nil, fmt.Errorf("the program fails: %v", res.Failure)
	}
	points := choosePoints(prefixes)
	for _, work := range r.work {
		plain, enforced, reports, err := r.times(p, points, spin.of(work))
		if err != nil {
			return nil, err
		}
		last := spreadOf(enforced[len(points)-1])
		for i, prefix := range points {
			c := cost{Program: p.Name, Traces: prefix.Traces, AllTraces: res.Prefix.Traces,
				Constraints: len(prefix.Constraints), Waiting: prefix.Waiting(), Work: work,
				Plain: spreadOf(plain), Enforced: spreadOf(enforced[i])}
			printed := p.Printed
			if opt {
				c.Program += "-opt"
				printed = p.Opt
			}
			c.figures = printed
			c.Printed = nearest(printed, c.Constraints, i == 0)
			if c.Constraints > 0 {
				c.PerConstraint = float64(c.Enforced.Median-last.Median) / float64(c.Constraints)
			}
			n := float64(r.runs)
			c.Waits, c.Parks = float64(reports[i].Waits)/n, float64(reports[i].Parks)/n
			c.Parked = reports[i].Parked / time.Duration(r.runs)
			costs = append(costs, c)
		}
	}
	return costs, nil
}

// choosePoints returns the longest prefix, the empty one, the first that rests on a
// hundredth of the traces, and some between that differ in the number of constraints.
func choosePoints(prefixes []*irs.Prefix) (points []*irs.Prefix) {
	last := prefixes[len(prefixes)-1]
	var steps []*irs.Prefix // each the first with fewer constraints than all before
	for _, p := range prefixes {
		if n := len(steps); n == 0 || len(p.Constraints) < len(steps[n-1].Constraints) {
			steps = append(steps, p)
		}
	}
	steps[len(steps)-1] = last
	hundredth := slices.IndexFunc(steps, func(p *irs.Prefix) bool { return 100*p.Traces >= last.Traces })
	for i, p := range steps {
		between := len(steps) <= mostPoints || i*(mostPoints-1)/(len(steps)-1) != (i-1)*(mostPoints-1)/(len(steps)-1)
		if i == 0 || i == len(steps)-1 || i == hundredth || between {
			points = append(points, p)
		}
	}
	return points
}

// nearest returns the paper's figure for that many constraints. Its programs are not the
// same to the event, so the first of its figures stands for all constraints.
func nearest(printed []paper.PrintedOverhead, constraints int, all bool) string {
	if all {
		return fmt.Sprintf("%d: %d", printed[0].Constraints, printed[0].Percent)
	}
	best := printed[0]
	for _, f := range printed {
		if abs(f.Constraints-constraints) <= abs(best.Constraints-constraints) {
			best = f
		}
	}
	return fmt.Sprintf("%d: %d", best.Constraints, best.Percent)
}

func abs(n int) int { return max(n, -n) }

// times executes the program without an environment and under each of the prefixes, in
// turns, so that whatever else the machine does happens to all of them.
func (r *enforcement) times(p paper.RelaxedProgram, points []*irs.Prefix, work func()) (plain []time.Duration, enforced [][]time.Duration, reports []irs.Report, err error) {
	native, scheduled := p.Make(paper.Native(work)), p.Make(paper.Scheduled(work))
	enforced, reports = make([][]time.Duration, len(points)), make([]irs.Report, len(points))
	for k := range warmUp + r.runs {
		begun := time.Now()
		native()
		if t := time.Since(begun); k >= warmUp {
			plain = append(plain, t)
		}
		for i, prefix := range points {
			begun := time.Now()
			report, err := irs.Execute(context.Background(), prefix, scheduled)
			if err != nil {
				return nil, nil, nil, err
			}
			if t := time.Since(begun); k >= warmUp {
				enforced[i] = append(enforced[i], t)
				reports[i].Waits += report.Waits
				reports[i].Parks += report.Parks
				reports[i].Parked += report.Parked
			}
		}
	}
	return plain, enforced, reports, nil
}
