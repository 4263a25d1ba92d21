package explore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the phases with faults, see por.Faults. Each has one plan of faults, and otherwise
// searches as usual. The first phase has no fault, and notes the sites at which one may come. Then
// come all plans with one fault at such a site, then those with one more fault at a site of an
// execution of one of these, and so on. So what was found has as few faults as there can be, unless
// executions were drawn.
//
// There may be more plans than can be searched. So a few executions are drawn with each plan of a
// number of faults, and then each is searched. Half of the time that is left goes to each number
// of faults, if more are to come.

const (
	// beforeFaults is the part of the time for executions without faults, one in so many, and
	// mostBefore the most that it takes.
	beforeFaults = 4
	mostBefore   = 5 * time.Second
	// drawnForPlan is how many executions are drawn with a plan.
	drawnForPlan = 3
	// mostPlans is how many plans with a number of faults there are at most. If there are more,
	// some are drawn.
	mostPlans = 20_000
)

// siteSet is the sites that executions of a phase have had.
type siteSet struct {
	of   *exec.Closure
	all  map[[2]int32]int // index in list by goroutine and number
	list []faults.Site
	lack bool // some are missing
}

// note adds the sites of the latest execution of a program.
func (s *siteSet) note(p any) {
	c, ok := p.(*exec.Closure)
	if !ok {
		return
	}
	if s.of != c {
		s.of, s.all = c, make(map[[2]int32]int) // goroutines have other numbers
		for i, x := range s.list {
			s.all[[2]int32{int32(c.Lookup(x.Path)), x.N}] = i
		}
	}
	list, all := c.Sites()
	s.lack = s.lack || !all
	for _, x := range list {
		key := [2]int32{int32(x.G), x.N}
		if i, ok := s.all[key]; ok {
			s.list[i].Kinds |= faults.Kind(x.Kinds)
			continue
		}
		if len(s.list) == mostPlans {
			s.lack = true
			return
		}
		s.all[key] = len(s.list)
		s.list = append(s.list, faults.Site{Path: c.Path(x.G), N: x.N, Kinds: faults.Kind(x.Kinds)})
	}
}

// planned is a plan, and the sites that its executions have had.
type planned struct {
	plan    faults.Plan
	sites   siteSet
	covered bool
	news    bool // an execution has reached a property that none had reached before
	near    bool // such executions had one fault less
}

// faultsMatter reports whether there are to be phases with faults.
func (s *Session) faultsMatter() bool {
	return s.Cfg.MostFaults > 0 && !s.Subject.Borrowed && !IsWorker()
}

// faultsAreNext reports whether phases with faults are next.
func (w *phases) faultsAreNext() bool {
	return w.faultsMatter() && len(w.res.Failures) == 0 && w.Halted() == Running && w.tallied().unfit == nil && w.tallied().always == nil
}

// pauseForFaults returns the pause that ends the executions without faults.
func (w *phases) pauseForFaults() pause {
	if limit := w.Cfg.Limits.Time; limit > 0 {
		return pause{At: time.Now().Add(min(limit/beforeFaults, mostBefore))}
	}
	return pause{}
}

// withFaults searches with faults.
func (w *phases) withFaults() {
	cover := &report.FaultCover{Kinds: w.Cfg.Run.Faults, Most: w.Cfg.MostFaults}
	w.res.Verdict.Faults = cover
	level := []planned{{sites: w.sites, covered: true}}
	rnd := rand.New(rand.NewPCG(w.Cfg.Seed, 0))
	for n := 1; n <= w.Cfg.MostFaults && w.err == nil && w.Halted() == Running; n++ {
		next, all := plansFrom(level, rnd)
		end := w.endOfFaults(n)
		l := report.FaultLevel{Faults: n, Plans: len(next), All: all}
		w.drawPlans(next, end, &l)
		if !w.failed() {
			w.searchPlans(next, end, &l)
		}
		cover.Levels = append(cover.Levels, l)
		if w.failed() || len(next) == 0 {
			break
		}
		level = next
	}
	if len(w.res.Failures) == 0 && !cover.Exhausted() {
		w.res.Verdict.Exhaustive = false
		needs := advice.SettingTime
		if w.Halted() != Running {
			_, needs = w.Limit("")
		}
		cover.Needs = w.FrontEnd().Limit(needs)
	}
}

// failed reports whether the search ends.
func (w *phases) failed() bool {
	return w.err != nil || len(w.res.Failures) > 0 || w.Halted() != Running
}

// endOfFaults returns when plans with n faults end, the zero time for never.
func (w *phases) endOfFaults(n int) time.Time {
	limit := w.Cfg.Limits.Time
	if limit == 0 {
		return time.Time{}
	}
	left := limit - time.Since(w.since())
	if n < w.Cfg.MostFaults {
		left /= 2
	}
	return time.Now().Add(left)
}

// plansFrom returns the plans with one fault more than those of a level. Those come first that have
// a fault more than executions which have reached a property first. Otherwise those that come first
// differ in goroutines and kinds. The result all says that these are
// all plans.
func plansFrom(level []planned, rnd *rand.Rand) (next []planned, all bool) {
	all = true
	known := make(map[string]bool)
	count := 0
	for i := range level {
		p := &level[i]
		all = all && p.covered && !p.sites.lack
		for _, s := range p.sites.list {
			for _, k := range s.Kinds.Each() {
				for _, d := range k.Times() {
					plan, ok := p.plan.With(faults.Fault{Kind: k, Path: s.Path, N: s.N, For: d})
					if text := plan.String(); !ok || known[text] {
						continue
					} else {
						known[text] = true
					}
					count++
					if len(next) < mostPlans {
						next = append(next, planned{plan: plan, near: p.news})
					} else if i := rnd.IntN(count); i < mostPlans {
						next[i] = planned{plan: plan, near: p.news}
						all = false
					} else {
						all = false
					}
				}
			}
		}
	}
	rnd.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	seen := make(map[string]int)
	order := make(map[string]int, len(next))
	for _, p := range next {
		var b strings.Builder
		for _, f := range p.plan {
			fmt.Fprint(&b, f.Kind, f.Path)
		}
		seen[b.String()]++
		order[p.plan.String()] = seen[b.String()]
	}
	slices.SortStableFunc(next, func(a, b planned) int {
		if a.near != b.near {
			return cmp.Compare(fromBool(b.near), fromBool(a.near))
		}
		return order[a.plan.String()] - order[b.plan.String()]
	})
	return next, all
}

func fromBool(b bool) int {
	if b {
		return 1
	}
	return 0
}

// drawPlans draws some executions with each plan, up to half of the time until the end.
func (w *phases) drawPlans(plans []planned, end time.Time, l *report.FaultLevel) {
	half := end
	if !end.IsZero() {
		half = time.Now().Add(time.Until(end) / 2)
	}
	for i := range plans {
		if !half.IsZero() && time.Now().After(half) {
			return
		}
		w.withPlan(&plans[i], engine.PCT{Seed: uint64(i), Executions: drawnForPlan}, half, l)
		if w.failed() {
			return
		}
		l.Drawn++
	}
}

// searchPlans searches all executions with each plan.
func (w *phases) searchPlans(plans []planned, end time.Time, l *report.FaultLevel) {
	for i := range plans {
		if !end.IsZero() && time.Now().After(end) {
			return
		}
		// A plan that takes long leaves time for others.
		until := end
		if left := len(plans) - i; !end.IsZero() && left > 1 {
			until = time.Now().Add(max(time.Until(end)/time.Duration(min(left, 8)), time.Millisecond))
		}
		if w.withPlan(&plans[i], w.usual.engine, until, l); w.failed() {
			return
		}
		if plans[i].covered {
			l.Covered++
		}
	}
}

// withPlan searches a phase with a plan, and adds to the result a failure that it finds.
func (w *phases) withPlan(p *planned, e trace.Engine, end time.Time, l *report.FaultLevel) {
	before := w.Phase
	q := w.usual
	q.name, q.engine, q.Share, q.Run.Plan = " with faults", e, 0, p.plan.String()
	q.Pause = pause{At: end}
	w.sites = p.sites
	w.props.fresh = false
	o := w.explore(q, w.Executions.Load())
	p.news = p.news || w.props.fresh
	p.sites, w.sites = w.sites, siteSet{}
	switch {
	case o.res == nil || o.err != nil:
		w.err = o.err
	case len(o.res.Failures) > 0:
		l.Executions += o.res.Stats.Executions
		w.addLast(o.res)
		w.Phase = before
		return
	default:
		l.Executions += o.res.Stats.Executions
		join(&w.res.Verdict, &o.res.Verdict)
		p.covered = o.res.Verdict.Covered && !o.paused
	}
	w.Phase = before
}

// fewerFaults looks whether a failure that was found shows with fewer faults, and lets the phase
// have those. It returns the program, which may be another one, that has them.
func (s *Session) fewerFaults(p trace.Program) trace.Program {
	if s.Phase.Run.Plan == "" || len(s.Findings.Found) != 1 {
		return p
	}
	f := &s.Findings.Found[0]
	plan, err := faults.Parse(s.Phase.Run.Plan)
	if err != nil || len(plan) < 2 {
		return p
	}
	for i := 0; i < len(plan) && len(plan) > 1; {
		fewer := plan.Without(i)
		old := s.Phase.Run.Plan
		s.Phase.Run.Plan = fewer.String()
		q := s.Program(false)
		var t *trial.Trial
		done := false
		s.within(q, s.patience()/4, func() { t, done = trial.Guide(q, f.Schedule, nil, nil) })
		if done && !isInterrupted(q) && t.Shows(func(x trace.Failure) bool { return x.Kind == f.want.Kind }) {
			s.Dismiss(p)
			p, plan = q, fewer
			f.Schedule, f.Failures = slices.Clone(t.Schedule), slices.Clone(t.Failures)
			f.want, _ = UnknownOf(f.Failures, map[FailureKey]bool{})
			s.Findings.Keys[KeyOf(f.want)] = true
			continue
		}
		s.Dismiss(q)
		s.Phase.Run.Plan = old
		i++
	}
	return p
}
