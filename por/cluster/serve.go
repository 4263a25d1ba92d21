package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gopor/gopor/internal/share"
)

const (
	workersName = "workers" // of the consumer of jobs
	lookTime    = time.Second
	tellTime    = 10 * time.Second // how often progress is told
	tellIdle    = 10 * time.Second // after what time without a job workers tell that
	goneTime    = 4                // after how many looks a worker that says nothing does not count
	endTime     = 5 * time.Second  // that a process has to end by itself
)

// defaultPatience is how long a worker has to be silent to be taken for dead.
const defaultPatience = 30 * time.Second

// Serve has a test explored by workers, and returns the exit status of the test program. When
// nothing is left to explore, the streams are removed. Otherwise they are kept, and the next Serve
// of the same test of the same program goes on where this one was. If stop is closed the search
// ends with a verdict that says so; when ctx is done the program is ended.
func Serve(ctx context.Context, o Options, stop <-chan struct{}) (status int, err error) {
	fingerprint, err := o.fingerprint()
	if err != nil {
		return 0, err
	}
	s, err := connect(&o, "serve")
	if err != nil {
		return 0, err
	}
	defer s.nc.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := share.Assignment{Serve: true, Slice: o.Slice, Limit: o.Limit}
	if strings.Contains(o.Test, "#") {
		a.Name = o.Test
	}
	p, err := share.Start(o.Program, share.TestArgs(o.Test, o.Args), &a, o.Output)
	if err != nil {
		return 0, fmt.Errorf("cannot start %s: %w", o.Program, err)
	}
	giving, ended := context.WithCancel(ctx)
	defer ended()
	go func() {
		<-p.Done()
		ended()
	}()
	v := &served{search: s, ctx: ctx, giving: giving, process: p, fingerprint: fingerprint,
		asked: make(map[string]bool), known: make(map[string]bool), refused: make(map[string]int), seen: make(map[string]sign)}
	go func() {
		for {
			select {
			case <-stop:
				stop = nil
				p.Link.Send(&share.Message{Stop: true})
			case <-ctx.Done():
				p.End(endTime)
				return
			}
		}
	}()
	err = v.listen()
	if err != nil {
		cancel()
	}
	status = p.Status()
	cancel()
	v.wait.Wait()
	v.tellRefused()
	switch {
	case err != nil || v.results == nil:
	case v.done:
		err = s.clear()
	default:
		o.say("what was explored is kept: the same command goes on with it, por-cluster clear removes it")
	}
	return status, err
}

// served is a search that is served.
type served struct {
	*search
	ctx         context.Context
	giving      context.Context // done when the process has ended
	process     *share.Process
	fingerprint Fingerprint
	done        bool // nothing is left to explore
	wait        sync.WaitGroup

	mu     sync.Mutex
	asked  map[string]bool // jobs of which the result is not known
	known  map[string]bool // jobs that were not asked for yet, and have a result
	all    int             // results so far
	before int             // results when they were counted last
	seen   map[string]sign // of workers
	lost   bool
	// refused counts results by the reason why they were not taken.
	refused map[string]int
}

// sign is what a worker has said last.
type sign struct {
	processes int
	looks     int // since then
}

// listen does what the test program says, until that ends.
func (v *served) listen() error {
	for {
		body, err := v.process.Link.Read()
		if err != nil {
			return nil // it has ended
		}
		m, err := share.Decode(body)
		switch {
		case err != nil:
			return err
		case m.Hello != nil && v.results == nil:
			if err := v.begin(m.Hello); err != nil {
				return err
			}
		case m.Job != nil:
			v.give(m.Job)
		case m.Done:
			v.done = true
		}
	}
}

// begin opens the search for workers.
func (v *served) begin(h *share.Hello) error {
	v.fingerprint.Options, v.fingerprint.First = h.Options, h.First
	if err := v.open(v.fingerprint, true); err != nil {
		var d *jetstream.APIError
		if errors.As(err, &d) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) {
			return fmt.Errorf("the streams cannot be made: %w; does the NATS server have JetStream (nats-server -js)?", err)
		}
		return fmt.Errorf("%w. Remove what is kept of the other search with por-cluster clear, or give this one a name with -name", err)
	}
	ctx, cancel := call()
	defer cancel()
	patience := v.o.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	_, err := v.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: workersName, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: patience, MaxDeliver: -1, MaxAckPending: 1 << 20})
	if err != nil {
		return err
	}
	if n := v.results.CachedInfo().State.Msgs; n > 0 {
		v.o.say("going on with search %s, of which %d jobs are done", v.o.name(), n)
	} else {
		v.o.say("serving search %s; workers: por-cluster work -run '%s' %s PROGRAM", v.o.name(), v.o.Test, v.at)
	}
	results, err := v.results.OrderedConsumer(v.ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	consuming, err := results.Consume(v.take)
	if err != nil {
		return err
	}
	alive, err := v.nc.Subscribe(v.o.alive(), v.note)
	if err != nil {
		return err
	}
	v.wait.Go(func() {
		defer consuming.Stop()
		defer alive.Unsubscribe()
		v.look()
	})
	return nil
}

// give gives a job to workers, or back what is known of it.
func (v *served) give(job *share.Job) {
	v.mu.Lock()
	known := v.known[job.ID]
	delete(v.known, job.ID)
	v.asked[job.ID] = true
	v.mu.Unlock()
	if known {
		body, err := v.resultOf(job.ID)
		if err == nil {
			v.mu.Lock()
			delete(v.asked, job.ID)
			v.mu.Unlock()
			v.process.Link.Write(share.Frame(body)) // if that fails it has ended
			return
		}
	}
	m := share.Message{Job: job}
	body, err := m.Encode()
	if err == nil {
		body, err = v.seal.sign(jobKind, job.ID, body[4:], v.nc.MaxPayload())
	}
	if err == nil {
		_, err = v.publish(v.giving, v.o.job(job.ID), body)
	}
	if err != nil && v.giving.Err() == nil {
		v.lose(err.Error())
	}
}

// take takes a result.
func (v *served) take(msg jetstream.Msg) {
	id := idOf(msg.Subject())
	body, err := v.seal.openResult(id, msg.Data())
	if !isID(id) {
		err = errors.New("it is of no job")
	}
	if err != nil {
		v.refuse(id, err, msg)
		return
	}
	v.mu.Lock()
	v.all++
	asked := v.asked[id]
	if delete(v.asked, id); !asked {
		v.known[id] = true // only its ID is kept: most were made before this Serve, and may be many
	}
	v.mu.Unlock()
	if asked {
		v.process.Link.Write(share.Frame(body)) // if that fails it has ended
	}
}

// refuse tells of a result that is not taken, and removes it, since it is in the place of the one
// that a worker has.
func (v *served) refuse(id string, why error, msg jetstream.Msg) {
	v.mu.Lock()
	n := v.refused[why.Error()] + 1
	v.refused[why.Error()] = n
	v.mu.Unlock()
	if n <= mostTold {
		v.o.say("refused a result of job %s: %v", printable(id), why)
	}
	meta, err := msg.Metadata()
	if err == nil {
		ctx, cancel := call()
		defer cancel()
		err = v.results.DeleteMsg(ctx, meta.Sequence.Stream)
	}
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) && v.ctx.Err() == nil {
		v.lose(fmt.Sprintf("the queue has a result of job %s that was refused (%v), and it cannot be removed: %v", printable(id), why, err))
	}
}

// tellRefused tells at the end how many results were refused, if not all of them were told, and
// how many were not asked for.
func (v *served) tellRefused() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for why, n := range v.refused {
		if n > mostTold {
			v.o.say("refused %d results in all: %s", n, why)
		}
	}
	if n := len(v.known); v.done && n > 0 {
		v.o.say("%d results were not asked for, and not used", n)
	}
}

// lose says to the test program, once, that the search cannot be brought to its end.
func (v *served) lose(why string) {
	v.mu.Lock()
	before := v.lost
	v.lost = true
	v.mu.Unlock()
	if !before {
		v.process.Link.Send(&share.Message{Lost: why})
	}
}

// note notes that a worker is alive.
func (v *served) note(msg *nats.Msg) {
	who, n, ok := readAlive(msg.Data)
	if !ok {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, known := v.seen[who]; n == 0 {
		delete(v.seen, who)
	} else if known || len(v.seen) < mostWorkers {
		v.seen[who] = sign{processes: n}
	}
}

// The most calls of Work that are counted, and processes that one of them is believed to have.
const (
	mostWorkers   = 10_000
	mostProcesses = 10_000
)

// readAlive reads what a worker says now and then: what it is called, and how many processes it
// has.
func readAlive(b []byte) (who string, processes int, ok bool) {
	if len(b) > 64 {
		return "", 0, false
	}
	who, text, _ := strings.Cut(string(b), " ")
	n, err := strconv.Atoi(text)
	return who, n, err == nil && n >= 0 && n <= mostProcesses
}

// look looks after the streams and the workers, and tells how far the search is.
func (v *served) look() {
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	told, workers := time.Now(), 0
	for {
		select {
		case <-v.ctx.Done():
			return
		case <-tick.C:
		}
		if text := v.search.lost(); text != "" {
			v.lose(text)
		}
		v.mu.Lock()
		n := 0
		for who, x := range v.seen {
			if x.looks++; x.looks > goneTime {
				delete(v.seen, who)
				continue
			}
			v.seen[who] = x
			n += x.processes
		}
		open, all, since := len(v.asked), v.all, v.all-v.before
		v.mu.Unlock()
		if n != workers {
			workers = n
			v.process.Link.Send(&share.Message{Workers: max(n, 1)})
			v.o.say("%d worker processes", n)
		}
		if d := time.Since(told); d >= tellTime {
			v.o.say("%d jobs done, %d open, %.1f a second, %d worker processes", all, open, float64(since)/d.Seconds(), n)
			told = time.Now()
			v.mu.Lock()
			v.before = all
			v.mu.Unlock()
		}
	}
}
