package main

import (
	"runtime"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Of a search that takes microseconds one measurement says nothing, and two that are
// taken at different times compare the machine's moods. So two engines are compared by
// turns: each searches again and again for batchTime, then the other does, until both
// have had duelTime altogether, but at least leastTurns times each unless the searches
// are long. What counts is the best batch of each.
const (
	batchTime  = 8 * time.Millisecond
	duelTime   = 400 * time.Millisecond
	leastTurns = 9
	longSearch = time.Second // one turn each
)

// opponent is a row as one side of a comparison.
type opponent struct {
	program paper.Program
	n, m    int
	engine  trace.Engine
	repeat  int           // searches in a batch
	best    time.Duration // the CPU time of one search
}

// newOpponent returns a row that is searched in about as long as took says.
func newOpponent(w row, took time.Duration) (*opponent, error) {
	engine, err := w.setting.engine()
	if err != nil {
		return nil, err
	}
	p, _ := paper.Named(w.program)
	repeat := int(batchTime/max(took, time.Microsecond)) + 1
	return &opponent{program: p, n: w.n, m: w.m, engine: engine, repeat: repeat}, nil
}

// turn searches a batch, and returns how long it took.
func (o *opponent) turn() (time.Duration, error) {
	runtime.GC()
	begin := cpuTime()
	for range o.repeat {
		c := exec.New(o.program.Make(o.n, o.m), o.program.Options)
		if _, err := o.engine.Explore(c, func(*trace.Execution) bool { return true }); err != nil {
			return 0, err
		}
		c.Shutdown()
	}
	took := cpuTime() - begin
	if one := took / time.Duration(o.repeat); o.best == 0 || one < o.best {
		o.best = one
	}
	return took, nil
}

// duel returns the ratio of the CPU times of two rows of one program, which have been
// searched once in the seconds given.
func duel(a, b row, seconds, other float64) (float64, error) {
	first, err := newOpponent(a, time.Duration(seconds*1e9))
	if err != nil {
		return 0, err
	}
	second, err := newOpponent(b, time.Duration(other*1e9))
	if err != nil {
		return 0, err
	}
	spent := time.Duration(0)
	for turns := 0; turns < leastTurns || spent < 2*duelTime; turns++ {
		for _, o := range []*opponent{first, second} {
			took, err := o.turn()
			if err != nil {
				return 0, err
			}
			spent += took
		}
		if spent > longSearch {
			break
		}
	}
	return float64(first.best) / float64(second.best), nil
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
