package main

import (
	"fmt"
	"io"
	"time"

	"github.com/gopor/gopor/internal/estimate"
	"github.com/gopor/gopor/sched/trace"
)

// How much time goes into estimates. The search does not wait for those that
// are made while it runs, but they count in its CPU time: up to two per cent.
const (
	firstEstimate = 300 * time.Millisecond // before the search
	laterEstimate = 20 * time.Millisecond  // every second
)

// progress shows once a second on a terminal how far a search is.
type progress struct {
	s         *search
	w         io.Writer
	estimator *estimate.Estimator // nil if the work has no end, or an estimate failed
	interval  time.Duration
	begin     time.Time
	quit      chan struct{}
	done      chan struct{}
	shown     bool
}

func newProgress(s *search, w io.Writer) *progress {
	p := &progress{s: s, w: w, interval: time.Second, quit: make(chan struct{}), done: make(chan struct{})}
	if !trace.Describe(s.engine).Random {
		p.estimator = estimate.New(s.closure(), s.setting.name != "dfs", 1)
	}
	return p
}

// start makes a first estimate and begins to show.
func (p *progress) start() {
	p.estimate(firstEstimate)
	p.begin = time.Now()
	go func() {
		defer close(p.done)
		tick := time.NewTicker(p.interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(p.w, "\r\x1b[K%s", p.line(time.Since(p.begin)))
				p.shown = true
				p.estimate(laterEstimate)
			case <-p.quit:
				return
			}
		}
	}()
}

// end wipes the line.
func (p *progress) end() {
	close(p.quit)
	<-p.done
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if p.estimator != nil {
		p.estimator.Close()
	}
}

// estimate makes probes for a time. One that fails ends it for good.
func (p *progress) estimate(d time.Duration) {
	for begin := time.Now(); p.estimator != nil && time.Since(begin) < d; {
		if err := p.estimator.Probe(); err != nil {
			p.estimator.Close()
			p.estimator = nil
		}
	}
}

// line says how far the search is.
func (p *progress) line(elapsed time.Duration) string {
	st := p.s.reached()
	rate := float64(st.Executions) / elapsed.Seconds()
	text := fmt.Sprintf("%v: %d executions", elapsed.Round(time.Second), st.Executions)
	if st.Blocked > 0 {
		text += fmt.Sprintf(", %d blocked", st.Blocked)
	}
	text += fmt.Sprintf(", %.0f/s", rate)
	limit := float64(p.s.maxExecutions)
	if p.estimator != nil {
		count, deviation := p.estimator.Mean()
		text += "; " + estimate.Text(count, deviation, p.s.setting.bound != nil)
		if limit == 0 || count < limit {
			limit = count
		}
	}
	if left := limit - float64(st.Executions); left > 0 && rate > 0 {
		text += "; " + estimate.Left(left/rate)
	}
	return text
}
