package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/kept"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the phases with faults, see por.Faults. Each has one plan of faults, and
// otherwise searches as usual. The first phase has no fault, and notes the sites at which one
// may come. Then come all plans with one fault at such a site, then those with one more fault
// at a site of an execution of one of these, and so on. So what was found has as few faults as
// there can be, unless executions were drawn.
//
// There may be more plans than can be searched: package faults says which ones are tried.

const (
	// beforeFaults is the part of the time for executions without faults, one in so many, and
	// mostBefore the most that it takes.
	beforeFaults = 4
	mostBefore   = 5 * time.Second
)

// noteSites notes the sites of the latest execution of a program.
func (s *Session) noteSites(program any) {
	c, ok := program.(*exec.Closure)
	if s.Phase.Run.Faults == 0 || !ok {
		return
	}
	s.sites.By(c, func(path []int32) int32 { return int32(c.Lookup(path)) })
	list, all := c.Sites()
	s.sites.Lack = s.sites.Lack || !all
	for _, x := range list {
		s.sites.Note(int32(x.G), x.N, faults.Kind(x.Kinds), func() []int32 { return c.Path(x.G) })
	}
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
	done := hook.Unfelt(true)
	w.corpus.Claim()
	done()
	search := faults.Search{Most: w.Cfg.MostFaults, Rand: rand.New(rand.NewPCG(w.Cfg.Seed, w.corpus.Runs())), Over: w.failed, With: w.withPlan}
	if limit := w.Cfg.Limits.Time; limit > 0 {
		search.End = w.since().Add(limit)
	}
	search.Pace = w.res.Stats.Elapsed / time.Duration(max(1, w.res.Stats.Executions))
	search.Corpus = w.corpus.Given()
	cover.Again, cover.Mixed, cover.Levels = search.Run(faults.Planned{Sites: w.sites, Covered: w.res.Verdict.Covered})
	cover.Seen = sched.Faults(search.Seen)
	if len(w.res.Failures) == 0 && !cover.Exhausted() {
		w.res.Verdict.Exhaustive = false
		needs := advice.SettingTime
		if w.Halted() != Running {
			_, needs = w.Limit("")
		}
		cover.Needs = w.FrontEnd().Limit(needs)
	}
	w.closeCorpus(&search.Corpus, cover)
}

// openCorpus opens what earlier searches of the test have kept. A seed that an option has set makes
// a search the same each time, so it goes without.
func (w *phases) openCorpus() {
	if w.Cfg.Corpus == "" || w.Cfg.Says.Seed || !w.faultsMatter() {
		return
	}
	test := strings.TrimPrefix(w.Where.Pkg+"."+w.Where.Name, ".")
	w.corpus = kept.Open(w.Cfg.Corpus, test, w.Cfg.Run.Key(), faults.Kind(w.Cfg.Run.Faults), w.Cfg.MostFaults)
	w.props.Unproven = w.corpus.Names()
	if with := trace.Describe(w.usual.engine).WithSeed; with != nil && w.corpus.Run > 0 {
		w.usual.engine = with(w.corpus.Run)
	}
}

// closeCorpus keeps what a search has found for later ones, unless nothing is left for these.
func (w *phases) closeCorpus(c *faults.Corpus, cover *report.FaultCover) {
	if w.corpus == nil {
		return
	}
	defer hook.Unfelt(true)()
	w.props.Unproven = c.Unproven
	w.corpus.Close(c.Found(), c.Checked, c.Drew, w.res.Verdict.Covered && cover.Exhausted() && len(w.res.Failures) == 0)
	cover.Trouble = w.corpus.Trouble
}

// failed reports whether the search ends.
func (w *phases) failed() bool {
	return w.err != nil || len(w.res.Failures) > 0 || w.Halted() != Running
}

// freshTally returns the tally of a search that begins. Before a phase with faults executions
// without faults have passed: a failure of all executions with a plan tells something of the test.
func (s *Session) freshTally() *tally {
	t := &tally{enough: enough}
	if s.Phase.Run.Plan != "" {
		t.passed = 1
	}
	return t
}

// withPlan searches a phase with a plan, and adds to the result a failure that it finds.
func (w *phases) withPlan(p *faults.Planned, draws int64, seed uint64, end time.Time) (executions int64) {
	defer func(before phase) { w.Phase = before }(w.Phase)
	q := w.usual
	q.name, q.Share, q.Run.Plan, q.Pause = " with faults", 0, p.Plan.String(), pause{At: end}
	if draws > 0 {
		q.engine = engine.PCT{Seed: seed, Executions: draws}
	}
	w.sites = p.Sites
	w.props.Begin(p.Again)
	if t := w.Findings.Tally; t != nil {
		t.passed++ // without faults, see freshTally
	}
	o := w.explore(q, w.Executions.Load())
	p.Sites, w.sites, p.News = w.sites, faults.Sites{}, p.News || w.props.Fresh
	p.Reached = w.props.Since()
	switch {
	case o.res == nil || o.err != nil:
		w.err = o.err
		return 0
	case len(o.res.Failures) > 0:
		w.addLast(o.res)
	default:
		join(&w.res.Verdict, &o.res.Verdict)
		p.Covered = o.res.Verdict.Covered && !o.paused
	}
	return o.res.Stats.Executions
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
	plan.Fewer(func(fewer faults.Plan) bool {
		old := s.Phase.Run.Plan
		s.Phase.Run.Plan = fewer.String()
		q := s.Program(false)
		var t *trial.Trial
		done := false
		s.within(q, s.patience()/4, func() { t, done = trial.Guide(q, f.Schedule, nil, nil) })
		if !done || isInterrupted(q) || !t.Shows(func(x trace.Failure) bool { return KeyOf(x) == KeyOf(f.want) }) {
			s.Dismiss(q)
			s.Phase.Run.Plan = old
			return false
		}
		s.Dismiss(p)
		p = q
		f.Schedule, f.Failures = slices.Clone(t.Schedule), slices.Clone(t.Failures)
		return true
	})
	return p
}
