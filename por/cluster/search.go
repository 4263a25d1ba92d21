package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options are those of [Serve], [Work] and [Clear].
type Options struct {
	URL    string // of the NATS server
	Access Access // what the server asks for
	Name   string // of the search there; by default that of the test
	// Program is the file of the test program, which no $PATH leads to, Args its arguments besides
	// those that select the test.
	Program string
	Args    []string
	// Test is the test to explore, such as TestQueue or TestQueue/small, with #2 at its end for
	// its second Check.
	Test string
	// Out is what is told of the search, Output what the served test program prints.
	Out, Output io.Writer

	// Patience is how long a worker has to be silent for its job to be given to another one; 30
	// seconds if it is 0. It is for Serve.
	Patience time.Duration
	// Slice is how long a job is explored, if there are enough; a second if it is 0. It is for
	// Serve.
	Slice    time.Duration
	Limit    time.Duration // how long the search may take, 0 for ever. It is for Serve
	Replicas int           // of the streams; 1 if it is 0. It is for Serve
	Memory   bool          // the streams are in the memory of the server. It is for Serve
	// Processes is how many worker processes there are. It is for Work.
	Processes int
	// Idle is after how long without a job Work ends, once it has found the search; 0 for never. It
	// is for Work.
	Idle time.Duration
}

// search is a connection to the streams of a search.
type search struct {
	o       *Options
	at      string // the URL, to print
	nc      *nats.Conn
	js      jetstream.JetStream
	jobs    jetstream.Stream
	results jetstream.Stream
	born    [2]time.Time // when the streams were made
	secret  []byte       // nil if there is none
	seal    *seal        // of the search; set by open
}

// fingerprint returns that of the program. It is the file that is then started, though nothing in
// its name may say that it is one: bank.test, where a command would be looked for elsewhere.
func (o *Options) fingerprint() (Fingerprint, error) {
	f, err := NewFingerprint(o.Program, o.Test)
	if err == nil {
		o.Program, err = filepath.Abs(o.Program)
	}
	return f, err
}

var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// name returns what the search is called in names of streams and subjects.
func (o *Options) name() string {
	name := o.Name
	if name == "" {
		name = o.Test
	}
	return strings.Trim(odd.ReplaceAllString(name, "_"), "_")
}

// The names of the streams, and of subjects.
func (o *Options) jobStream() string       { return "POR_" + o.name() + "_JOBS" }
func (o *Options) resultStream() string    { return "POR_" + o.name() + "_RESULTS" }
func (o *Options) job(id string) string    { return "por." + o.name() + ".job." + id }
func (o *Options) result(id string) string { return "por." + o.name() + ".result." + id }
func (o *Options) alive() string           { return "por." + o.name() + ".alive" }

// inbox returns the first part of subjects to which the server answers. The roles have different
// ones, so that a worker need not be allowed to read what the server answers to others.
func (o *Options) inbox(role string) string { return "_INBOX_por_" + o.name() + "_" + role }

func (o *Options) say(f string, a ...any) { fmt.Fprintf(o.Out, "por-cluster: "+f+"\n", a...) }

// check says what is wrong with the options.
func (o *Options) check() error {
	switch {
	case o.URL == "":
		return errors.New("no URL of a NATS server is given, such as nats://localhost:4222")
	case o.Test == "" && o.Name == "":
		return errors.New("no test is given; -run TestName selects it")
	case o.name() == "":
		return fmt.Errorf("no character of the name %q can be used for a stream", o.Name)
	}
	return nil
}

// connect connects to the server, which has to be there, as one that serves, works or clears. From
// then on the connection is made again when it was lost.
func connect(o *Options, role string) (*search, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	at, err := newPlace(o.URL)
	if err != nil {
		return nil, err
	}
	opts, err := o.Access.options()
	if err != nil {
		return nil, err
	}
	secret, err := o.Access.secret()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	refused := make(map[string]bool)
	opts = append(opts, nats.Name("por-cluster"), nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond), nats.Timeout(5*time.Second),
		nats.CustomInboxPrefix(o.inbox(role)),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				o.say("the connection to %s was lost (%v); trying again", at.text, at.hide(err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { o.say("connected to %s again", at.text) }),
		// The handler ignores most errors: the call or the consumer that an error concerns gets it,
		// too. What the server does not allow it does not answer, so each such error is told once.
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrPermissionViolation) {
				return
			}
			text := at.hide(err).Error()
			mu.Lock()
			known := refused[text] || len(refused) >= mostTold
			refused[text] = true
			mu.Unlock()
			if !known {
				o.say("the NATS server does not allow this user what por-cluster needs: %s", printable(text))
			}
		}))
	nc, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", at.text, at.hide(err))
	}
	if _, err := nc.TLSConnectionState(); err != nil && (at.password || o.Access.User != "") {
		o.say("the password went to %s without TLS: use tls:// in its URL", at.text)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &search{o: o, at: at.text, nc: nc, js: js, secret: secret}, nil
}

// mostTold is how many messages of one kind are told, if there are more.
const mostTold = 20

// mostText is how many bytes are printed of a text that another program may have made.
const mostText = 2000

// printable returns a text that another program may have made, in one line.
func printable(text string) string {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// callTime is how long one call of the server may take.
const callTime = 5 * time.Second

func call() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), callTime)
}

// markName is the name of what tells secrets apart in the metadata of streams.
const markName = "gopor-secret"

// startTime is how long servers may take until all of them take part in their cluster.
const startTime = 30 * time.Second

// isStarting reports whether err is the answer of a cluster of servers that is not complete yet: it
// has no leader and says nothing, or too few of its servers have been heard of.
func isStarting(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	const noPeers = 10005 // of which the description says the reason
	return api.Code == http.StatusServiceUnavailable || api.ErrorCode == noPeers && strings.Contains(api.Description, "offline")
}

// open opens the streams. They are made, with the fingerprint, if they are not there and create is
// true; else the error is [jetstream.ErrStreamNotFound]. It waits for a cluster that is starting.
func (s *search) open(f Fingerprint, create bool) error {
	for end := time.Now().Add(startTime); ; {
		err := s.openNow(f, create)
		if !isStarting(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (s *search) openNow(f Fingerprint, create bool) error {
	ctx, cancel := call()
	defer cancel()
	var first Fingerprint
	mark := newSeal(first, s.secret).mark()
	for i, x := range []struct {
		stream    *jetstream.Stream
		name      string
		subjects  string
		retention jetstream.RetentionPolicy
	}{
		{&s.results, s.o.resultStream(), s.o.result("*"), jetstream.LimitsPolicy},
		{&s.jobs, s.o.jobStream(), s.o.job("*"), jetstream.WorkQueuePolicy},
	} {
		stream, err := s.js.Stream(ctx, x.name)
		if errors.Is(err, jetstream.ErrStreamNotFound) && create {
			metadata := f.metadata()
			metadata[markName] = mark
			c := jetstream.StreamConfig{Name: x.name, Subjects: []string{x.subjects}, Retention: x.retention, Metadata: metadata, Replicas: max(s.o.Replicas, 1),
				MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, AllowDirect: true}
			if s.o.Memory {
				c.Storage = jetstream.MemoryStorage
			}
			stream, err = s.js.CreateStream(ctx, c)
		}
		if err != nil {
			return err
		}
		info := stream.CachedInfo()
		theirs := ofMetadata(info.Config.Metadata)
		if err := f.Differs(theirs); err != nil {
			return fmt.Errorf("search %s: %w", s.o.name(), err)
		}
		if info.Config.Metadata[markName] != mark {
			return fmt.Errorf("search %s: its jobs are signed with another secret than that of -secret here", s.o.name())
		}
		if i > 0 && theirs != first {
			return fmt.Errorf("search %s: its two streams are of different programs", s.o.name())
		}
		*x.stream, s.born[i], first = stream, info.Created, theirs
	}
	s.seal = newSeal(first, s.secret)
	return nil
}

// lost says what has become of the streams, "" if they are there, or it cannot be told now.
func (s *search) lost() string {
	ctx, cancel := call()
	defer cancel()
	for i, name := range []string{s.o.resultStream(), s.o.jobStream()} {
		stream, err := s.js.Stream(ctx, name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return fmt.Sprintf("the queue has lost its data: there is no stream %s any more", name)
		case err == nil && !stream.CachedInfo().Created.Equal(s.born[i]):
			return fmt.Sprintf("the queue has lost its data: the stream %s is another one", name)
		}
	}
	return ""
}

// publish publishes a message of which there may be one only, under its subject. It tries again
// while the server cannot be reached, until ctx is done. It reports whether there is a message
// already, which stays.
func (s *search) publish(ctx context.Context, subject string, message []byte) (already bool, err error) {
	for {
		c, cancel := context.WithTimeout(ctx, callTime)
		_, err := s.js.Publish(c, subject, message)
		cancel()
		var api *jetstream.APIError
		switch {
		case err == nil:
			return false, nil
		case errors.As(err, &api) && strings.Contains(api.Description, "maximum messages per subject"):
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case s.nc.IsClosed():
			return false, s.closed()
		case errors.Is(err, jetstream.ErrNoStreamResponse), errors.As(err, &api):
			if text := s.lost(); text != "" {
				return false, errors.New(text)
			}
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// closed says why the connection is not made again: the server has refused the user.
func (s *search) closed() error {
	return fmt.Errorf("the connection to %s is closed: %w", s.at, s.nc.LastError())
}

// Clear removes what is kept of a search. It is no error if there is nothing.
func Clear(o Options) error {
	s, err := connect(&o, "serve")
	if err != nil {
		return err
	}
	defer s.nc.Close()
	return s.clear()
}

func (s *search) clear() error {
	ctx, cancel := call()
	defer cancel()
	for _, name := range []string{s.o.jobStream(), s.o.resultStream()} {
		if err := s.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return nil
}
