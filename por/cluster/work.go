package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/gopor/gopor/internal/share"
)

// errOver says that a search is over: its streams have gone.
var errOver = errors.New("the search is over")

// errIdle says that there was nothing to do for as long as the options allow.
var errIdle = errors.New("nothing to explore")

// Work explores for a search, with as many processes of the test program as the options say, or as
// there are cores. It returns when the search is over, when there was nothing to do for as long as
// the options allow, or when ctx is done. If there is no such search yet, Work waits for it. A
// search that is no longer served, but kept, is not over: Work says so, and waits. The error says
// that this is not the program of the search, or that it cannot explore.
func Work(ctx context.Context, o Options) error {
	f, err := o.fingerprint()
	if err != nil {
		return err
	}
	s, err := connect(&o, "work")
	if err != nil {
		return err
	}
	defer s.nc.Close()
	if err := s.await(ctx, f); err != nil {
		return err
	}
	n := o.Processes
	if n == 0 {
		n = runtime.NumCPU()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	team := &team{search: s, fingerprint: f, deaths: make(map[string]int)}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := team.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	team.latest = time.Now()
	all.Go(func() {
		if err := team.beAlive(ctx, n); err != nil {
			cancel(err)
		}
	})
	o.say("%d worker processes explore search %s", n, o.name())
	all.Wait()
	switch err := context.Cause(ctx); {
	case errors.Is(err, errOver), errors.Is(err, errIdle):
		o.say("%v", err)
	case !errors.Is(err, context.Canceled):
		return err
	}
	return nil
}

// await waits until there is such a search.
func (s *search) await(ctx context.Context, f Fingerprint) error {
	for said := false; ; {
		err := s.open(f, false)
		if err == nil {
			return nil
		}
		if s.nc.IsClosed() {
			return s.closed()
		}
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if !said {
			said = true
			s.o.say("there is no search %s at %s yet; waiting for it", s.o.name(), s.at)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookTime / 2):
		}
	}
}

// team is the worker processes of one call of Work.
type team struct {
	*search
	fingerprint Fingerprint
	mu          sync.Mutex
	deaths      map[string]int // of processes, by the job that they have died of
	early       int            // of those that have not come to the Check
	busy        int            // processes that have a job
	refused     int            // jobs that were not explored
	latest      time.Time      // when the latest job was done
}

// takes notes that a process has a job, by 1, or has no more, by -1.
func (t *team) takes(by int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy += by
	t.latest = time.Now()
}

// idle returns how long no process has had a job, 0 if one has a job now.
func (t *team) idle() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy > 0 {
		return 0
	}
	return time.Since(t.latest)
}

// beAlive says now and then that the processes are there. It returns errIdle if they had nothing to
// do for too long, and tells before that that they have nothing to do.
func (t *team) beAlive(ctx context.Context, n int) error {
	me := nuid.Next()
	defer func() {
		t.nc.Publish(t.o.alive(), fmt.Appendf(nil, "%s 0", me))
		t.nc.FlushTimeout(lookTime)
	}()
	said := false
	for {
		t.nc.Publish(t.o.alive(), fmt.Appendf(nil, "%s %d", me, n))
		switch d := t.idle(); {
		case t.o.Idle > 0 && d >= t.o.Idle:
			return fmt.Errorf("%w for %v", errIdle, t.o.Idle)
		case d < tellIdle:
			said = false
		case !said:
			said = true
			t.o.say("nothing to explore for %v. The search is kept: por-cluster serve goes on with it, por-cluster clear removes it; waiting for either", tellIdle)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookTime):
		}
	}
}

// work takes one job after the other, and has it explored by a process.
func (t *team) work(ctx context.Context) error {
	w := &worker{team: t}
	defer w.end()
	for ctx.Err() == nil {
		c, cancel := call()
		jobs, err := t.jobs.Consumer(c, workersName)
		cancel()
		if err == nil {
			err = w.fetch(ctx, jobs)
		}
		if err == nil {
			continue
		}
		var foreign *foreignError
		if errors.As(err, &foreign) {
			return err
		}
		if t.nc.IsClosed() {
			return t.closed()
		}
		if t.lost() != "" {
			return errOver
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookTime / 2):
		}
	}
	return nil
}

// fetch takes jobs for as long as the server gives some.
func (w *worker) fetch(ctx context.Context, jobs jetstream.Consumer) error {
	w.patience = jobs.CachedInfo().Config.AckWait
	for ctx.Err() == nil {
		some, err := jobs.Fetch(1, jetstream.FetchMaxWait(lookTime))
		if err != nil {
			return err
		}
		any := false
		for msg := range some.Messages() {
			any = true
			if err := w.do(ctx, msg); err != nil {
				return err
			}
		}
		if err := some.Error(); err != nil {
			return err
		}
		if !any && w.lost() != "" {
			return errOver
		}
	}
	return nil
}

// foreignError says that the program is not that of the search, or cannot explore.
type foreignError struct{ error }

// worker is one process, which is started when it is needed.
type worker struct {
	*team
	patience time.Duration
	process  *share.Process
	has      share.Assignment // what it was started for
	heard    chan []byte      // what it says; closed when it has ended
}

// do has a job explored, and publishes what has come of it.
func (w *worker) do(ctx context.Context, msg jetstream.Msg) error {
	id := idOf(msg.Subject())
	job, err := w.seal.openJob(id, msg.Data())
	if err != nil {
		w.refuse(id, err)
		return msg.Term() // so that no other worker has to refuse it
	}
	w.takes(1)
	defer w.takes(-1)
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > 1 && w.isDone(job.ID) {
		return msg.Ack()
	}
	for {
		r, err := w.explore(ctx, job, msg)
		if err != nil {
			msg.Nak() // for others; if it fails they get it later
			return err
		}
		if r == nil { // the process has died
			continue
		}
		return w.conclude(ctx, r, msg)
	}
}

// refuse tells of a job that is not explored.
func (t *team) refuse(id string, why error) {
	t.mu.Lock()
	t.refused++
	n := t.refused
	t.mu.Unlock()
	if n <= mostTold {
		t.o.say("refused job %s: %v", printable(id), why)
	}
}

// isDone reports whether there is a result of a job.
func (w *worker) isDone(id string) bool {
	_, err := w.resultOf(id)
	return err == nil
}

// resultOf returns the result of a job, which is in the stream. A result that would be refused is
// an error.
func (s *search) resultOf(id string) ([]byte, error) {
	ctx, cancel := call()
	defer cancel()
	msg, err := s.results.GetLastMsgForSubject(ctx, s.o.result(id))
	if err != nil {
		return nil, err
	}
	return s.seal.openResult(id, msg.Data)
}

// idOf returns the ID that a subject ends with.
func idOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// conclude publishes a result, and says that the job is done.
func (w *worker) conclude(ctx context.Context, r *share.Result, msg jetstream.Msg) error {
	body, err := (&share.Message{Result: r}).Encode()
	if err != nil {
		return err
	}
	sealed, err := w.seal.sign(resultKind, r.ID, body[4:], w.nc.MaxPayload())
	if large := new(tooLarge); errors.As(err, &large) {
		return w.conclude(ctx, &share.Result{ID: r.ID, Error: large.Error()}, msg)
	}
	if err != nil {
		return err
	}
	for {
		already, err := w.publish(ctx, w.o.result(r.ID), sealed)
		switch {
		case err != nil:
			return err
		case !already, w.isDone(r.ID):
			return msg.Ack()
		}
		select { // Serve removes what is in the place of the result, and is no result
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookTime / 4):
			msg.InProgress()
		}
	}
}

// explore has a process explore a job, and returns the result, nil if the process has died
// meanwhile.
func (w *worker) explore(ctx context.Context, job *share.Job, msg jetstream.Msg) (*share.Result, error) {
	if err := w.ready(ctx, job.For, msg); err != nil {
		return nil, err
	}
	plain := *job
	plain.For = nil
	b, err := (&share.Message{Job: &plain}).Encode()
	if err != nil {
		return nil, err
	}
	go w.process.Link.Write(b) // if it fails, or hangs, the process has ended, or will be
	for {
		m, err := w.hear(ctx, msg)
		switch {
		case err != nil:
			return nil, err
		case m == nil:
			w.process.Kill() // if it only says nothing any more
			last := w.process.Last()
			w.end()
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.deaths[job.ID]++; w.deaths[job.ID] >= share.MostDeaths {
				return &share.Result{ID: job.ID, Died: last}, nil
			}
			return nil, nil
		case m.Result != nil && m.Result.ID == job.ID:
			return m.Result, nil
		}
	}
}

// ready sees to it that there is a process which was started as a.
func (w *worker) ready(ctx context.Context, a *share.Assignment, msg jetstream.Msg) error {
	if w.process != nil && w.has != *a {
		w.end()
	}
	for w.process == nil {
		p, err := share.Start(w.o.Program, share.TestArgs(w.o.Test, w.o.Args), a, nil)
		if err != nil {
			return &foreignError{fmt.Errorf("cannot start %s: %w", w.o.Program, err)}
		}
		w.process, w.has, w.heard = p, *a, make(chan []byte, 16)
		go func(heard chan []byte) {
			defer close(heard)
			for {
				body, err := p.Link.Read()
				if err != nil {
					return
				}
				heard <- body
			}
		}(w.heard)
		if err := w.greet(ctx, a, msg); err != nil {
			return err
		}
	}
	return nil
}

// greet waits until the process has come to the Check. If it ends before, there is none.
func (w *worker) greet(ctx context.Context, a *share.Assignment, msg jetstream.Msg) error {
	for {
		m, err := w.hear(ctx, msg)
		switch {
		case err != nil:
			return err
		case m == nil:
			w.process.Kill() // if it only says nothing any more
			last := w.process.Last()
			w.end()
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.early++; w.early >= share.MostDeaths {
				return &foreignError{fmt.Errorf("the test program has ended before it came to the Check %s: %s", a.Name, last)}
			}
			return nil
		case m.Hello == nil:
			continue
		}
		f, want := w.fingerprint, ofMetadata(w.jobs.CachedInfo().Config.Metadata)
		f.Options, f.First = m.Hello.Options, m.Hello.First
		if err := f.Differs(want); err != nil {
			return &foreignError{fmt.Errorf("search %s: %w", w.o.name(), err)}
		}
		return nil
	}
}

// hear waits for what the process says, and keeps the job meanwhile. It returns nil if the process
// has ended, or says nothing for so long that it was killed.
func (w *worker) hear(ctx context.Context, msg jetstream.Msg) (*share.Message, error) {
	tick := time.NewTicker(share.Beat)
	defer tick.Stop()
	silent, every := 0, max(int(w.patience/share.Beat/4), 1)
	for beats := 1; ; {
		select {
		case body, ok := <-w.heard:
			if !ok {
				return nil, nil
			}
			silent = 0
			if len(body) > 0 {
				return share.Decode(body)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
			if silent++; silent > share.Silence {
				w.process.Kill()
			}
			if beats++; beats%every == 0 {
				msg.InProgress() // if that fails another worker will explore it as well
			}
		}
	}
}

// end ends the process, if there is one.
func (w *worker) end() {
	if w.process != nil {
		w.process.End(endTime)
		w.process = nil
		for range w.heard { // so that the reader does not wait to hand on more
		}
	}
}
