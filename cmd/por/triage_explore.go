package main

import (
	"fmt"
	"slices"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/share"
)

// phase is a way of exploring the test.
type phase struct {
	name  string
	flags []string
	share int // of the time, in per cent
}

var phases = []phase{
	{"every schedule, in discrete time", []string{"-check.clock=discrete"}, 25},
	{"every schedule, with code that takes time", []string{"-check.clock=lag"}, 15},
	{"bound by bound, then at random", []string{"-check.engine=hunt", "-check.clock=discrete"}, 15},
	{"timers in any order", []string{"-check.clock=any", "-check.engine=hunt"}, 10},
}

// explore explores the test once, and notes what has come of it.
func (q *inquiry) explore(p phase, more ...string) (draw int64) {
	q.output.Reset()
	args := slices.Concat([]string{"-count=1", "-v", "-run=" + share.RunPattern(q.test)}, q.flags, p.flags, more, []string{q.pkg})
	quiet := command.Env{Name: q.env.Name, Out: &q.output, Err: &q.output, Interrupt: q.env.Interrupt}
	testAnd("check", args, quiet, func(told string) {
		for _, e := range record.Read(told) {
			switch {
			case e.Failure != nil && q.found == nil:
				q.found, q.phase = e.Failure, p
			case e.Failure != nil:
				draw = max(e.Failure.Execution, 1)
			case e.Class == record.NotExplored:
				q.unfit = e.Reason
			default:
				q.class = e.Class
			}
		}
	})
	return draw
}

// drawn is how many searches at random there are.
const drawn = 3

// draw finds out how likely the failure is where schedules are drawn at random.
func (q *inquiry) draw() {
	clock := "-check.clock=" + q.found.Time
	for seed := range drawn {
		p := phase{flags: []string{"-check.engine=random", fmt.Sprintf("-check.seed=%d", seed+1), clock, "-check.save=off"}}
		q.draws = append(q.draws, q.explore(p, "-check.time="+q.share(5).String(), "-check.executions=100000"))
	}
}

// likelihood says how likely the failure is, "" if that is not known.
func (q *inquiry) likelihood() string {
	var sum, hits int64
	for _, n := range q.draws {
		if n > 0 {
			sum, hits = sum+n, hits+1
		}
	}
	if hits == 0 {
		return "rarer than a search at random finds in the time"
	}
	n := (sum + hits - 1) / hits
	if n == 1 {
		return "so do schedules drawn at random, the first one each time"
	}
	return fmt.Sprintf("about one in %d schedules drawn at random", n)
}
