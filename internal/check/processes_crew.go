package check

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/putback"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/sched"
)

const (
	mostEarly = 3               // workers that end before they have come to the Check
	endTime   = 3 * time.Second // that workers have to end by themselves
)

// newCrew starts n workers of a search.
func (s *sharer) newCrew(n int, focus bool, part, first string) (crew, error) {
	a := share.Assignment{Name: s.Where.Name, Existing: s.Findings.Tally != nil, Time: s.Phase.Run.Time, Locks: s.Phase.Run.Model&sched.ModelLock != 0, Pools: s.Phase.Run.OwnPools, Library: s.Phase.Run.Library, Focus: focus, Part: part, Contexts: s.check.contexts.Cancels(), MaxClock: s.Phase.Run.MaxClock}
	if parent.link != nil {
		return newBrokered(s, a, s.hello(first))
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	aside := s.Cfg.Processes == 0
	if limit := s.Cfg.Limits.Memory; limit > 0 {
		if aside {
			limit /= 2
		}
		a.Memory = max(limit/int64(n), 1)
	}
	a.Nice = aside
	c := &processes{s: s, hello: s.hello(first), program: program, args: workerArgs(s.Where.Test), assignment: a,
		heard: make(chan news, 16), over: make(chan bool), deaths: make(map[string]int)}
	putback.Share()
	for range n {
		c.start()
	}
	return c, nil
}

// hello is what a process of a search says that has come to it, the first execution of which is
// this.
func (s *sharer) hello(first string) *share.Hello {
	return &share.Hello{Protocol: share.Protocol, Name: s.Where.Name, Options: s.options(), First: first}
}

// workerArgs returns the arguments of a worker for a test: those of this process that are not for
// package testing, and what selects the test.
func workerArgs(test string) []string {
	args := share.TestArgs(test, nil)
	if explore.FlagValue("test.short") == "true" {
		args = append(args, "-test.short")
	}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	if rest := flag.Args(); len(rest) > 0 {
		args = append(append(args, "--"), rest...)
	}
	return args
}

// processes are the workers of a session on this machine. All but what tells the news is done by
// the goroutine that searches.
type processes struct {
	s          *sharer
	hello      *share.Hello // what workers have to say
	program    string
	args       []string
	assignment share.Assignment

	all    []*worker
	heard  chan news
	over   chan bool      // closed at the end
	deaths map[string]int // of workers, by the job that they have died of
	early  int            // of those that have not come to the Check
}

// worker is one of them.
type worker struct {
	*share.Process
	jobs   chan []byte // to be sent
	job    *share.Job  // that it explores, nil if it waits for one
	ready  bool        // it has come to the Check
	silent int         // for how many beats nothing was heard of it
	killed bool
}

// start starts a worker.
func (c *processes) start() {
	p, err := share.Start(c.program, c.args, &c.assignment, nil)
	if err != nil {
		c.early = mostEarly
		c.s.alone = fmt.Sprintf("one process: no worker can be started: %v", err)
		return
	}
	w := &worker{Process: p, jobs: make(chan []byte, 1)}
	c.all = append(c.all, w)
	go func() {
		for job := range w.jobs {
			if w.Link.Write(job) != nil {
				return // which is heard by the other goroutine
			}
		}
	}()
	go func() {
		for {
			m, err := w.Link.Read()
			if !c.tell(func(by *coordinator) error { return c.hear(by, w, m, err) }) || err != nil {
				return
			}
		}
	}()
}

// tell tells the news, unless the search is over.
func (c *processes) tell(n news) bool {
	select {
	case c.heard <- n:
		return true
	case <-c.over:
		return false
	}
}

// hear takes what a worker has said.
func (c *processes) hear(by *coordinator, w *worker, body []byte, err error) error {
	w.silent = 0
	m := new(share.Message)
	if err == nil {
		m, err = share.Decode(body)
	}
	switch {
	case err != nil:
		return c.bury(by, w)
	case m.Hello != nil && *m.Hello != *c.hello:
		c.s.alone = "one process: workers have other options, or their first execution is another one"
		c.early = mostEarly
		w.Kill()
	case m.Hello != nil:
		w.ready = true
	case m.Result != nil && w.job != nil && m.Result.ID == w.job.ID:
		w.job = nil
		return by.add(m.Result)
	}
	return nil
}

// bury sees to what a worker leaves behind that has ended, and to another one.
func (c *processes) bury(by *coordinator, w *worker) error {
	c.all = slices.DeleteFunc(c.all, func(x *worker) bool { return x == w })
	close(w.jobs)
	w.Kill()
	w.Link.Close()
	c.s.recoverFiles()
	switch {
	case w.job != nil:
		id := w.job.ID
		if c.deaths[id]++; c.deaths[id] == share.MostDeaths {
			return by.add(&share.Result{ID: id, Died: w.Last()})
		}
		by.takeBack(id)
	case !w.ready:
		if c.early++; c.early >= mostEarly {
			c.s.alone = "fewer worker processes: one has ended before it came to this Check: " + w.LastLine()
			return nil
		}
	}
	c.start()
	return nil
}

// size implements [crew].
func (c *processes) size() (workers, wanted int) {
	for _, w := range c.all {
		if w.ready {
			workers++
			if w.job == nil {
				wanted++
			}
		}
	}
	if len(c.all) == 0 {
		workers = -1
	}
	return workers, wanted
}

// give implements [crew].
func (c *processes) give(job *share.Job) error {
	for _, w := range c.all {
		if w.ready && w.job == nil {
			b, err := (&share.Message{Job: job}).Encode()
			if err != nil {
				return err
			}
			w.job = job
			w.jobs <- b // there is room, since it has done the one before
			break
		}
	}
	return nil
}

// news implements [crew].
func (c *processes) news() <-chan news { return c.heard }

// check implements [crew]: it kills workers that are silent.
func (c *processes) check() {
	for _, w := range c.all {
		if w.silent++; w.silent > int(share.Silence*share.Beat/crewBeat) && !w.killed {
			w.killed = true
			w.Kill()
		}
	}
}

// end implements [crew].
func (c *processes) end(bool) {
	close(c.over)
	done := make(chan bool)
	for _, w := range c.all {
		go func() {
			w.End(endTime)
			done <- true
		}()
	}
	for range c.all {
		<-done
	}
	for _, w := range c.all {
		close(w.jobs)
	}
	c.s.recoverFiles()
}

// recoverFiles puts back the files of workers that have ended within an execution.
func (s *sharer) recoverFiles() {
	if SeesCode() {
		putback.Recover(putback.Folder())
	}
}
