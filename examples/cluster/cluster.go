// Package cluster is a small replicated log, by the rules of Raft (Ongaro and Ousterhout, "In
// Search of an Understandable Consensus Algorithm", 2014): servers elect a leader, which adds what
// clients put to its log, and copies the log to the others. What a majority has is committed. Calls
// are JSON over TCP, a connection for each. It is made to be read and tested: the whole log is sent
// each time, and there are no snapshots.
//
// It has three mistakes that can be switched on, each of which takes a fault to show. The tests
// find them.
package cluster

import (
	"encoding/json"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// Bug is a mistake.
type Bug int

// The mistakes.
const (
	None     Bug = iota
	TwoVotes     // a vote is not written down: after a restart the server votes again
	OldTerm      // an entry of an earlier term is taken for committed when a majority has it
	OldReads     // a leader answers a read without asking whether it is still one
)

// Entry is an entry of the log.
type Entry struct{ Term, Value int }

// Disk is what a server keeps when it stops. Methods replace all of it at once.
type Disk struct {
	Term, Vote int // the vote is the number of a server, from 1 on; 0 for none
	Log        []Entry
}

// Config is what a server is given.
type Config struct {
	ID      int      // from 1 on
	Addrs   []string // of all servers; that of the server itself is number ID-1
	Disk    *Disk
	Timeout time.Duration // without a leader, after which the server wants to become one
	Bug     Bug
	// Leads and Applies are told of each term in which the server becomes the leader, and of each
	// entry that it knows to be committed. They may be nil.
	Leads   func(term, id int)
	Applies func(index int, e Entry)
}

// How often a leader calls the others, a candidate those that have not answered, and how long a
// call may take.
const (
	Beat   = 200 * time.Millisecond
	Again  = 50 * time.Millisecond
	Answer = 50 * time.Millisecond
)

// Request is a call of a server, by another one or by a client.
type Request struct {
	Kind   string // "vote", "append", "put" or "get"
	Term   int
	From   int
	Log    []Entry
	Commit int
	Value  int
}

// Reply is the answer.
type Reply struct {
	Term  int
	OK    bool
	Value int
}

// Call makes a call.
func Call(addr string, r Request) (a Reply, err error) {
	c, err := net.DialTimeout("tcp", addr, Answer)
	if err != nil {
		return a, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(Answer))
	if err := json.NewEncoder(c).Encode(r); err != nil {
		return a, err
	}
	return a, json.NewDecoder(c).Decode(&a)
}

type role int

const (
	follower role = iota
	candidate
	leader
)

type server struct {
	Config
	mu      sync.Mutex // guards these, and Disk
	role    role
	voted   int       // in the present term, as Disk.Vote has it
	heard   time.Time // of a leader, or when it has voted
	commit  int       // entries that are committed
	applied int
	latest  int // the term of the leader that the log was copied from
}

// Run runs a server. It returns only if the address cannot be had.
func Run(c Config) error {
	s := &server{Config: c, voted: c.Disk.Vote, heard: time.Now()}
	l, err := net.Listen("tcp", c.Addrs[c.ID-1])
	if err != nil {
		return err
	}
	go s.watch()
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.serve(c)
	}
}

// watch calls the others as a leader, and becomes a candidate where there is none.
func (s *server) watch() {
	for {
		time.Sleep(Beat)
		s.mu.Lock()
		leads, late := s.role == leader, time.Since(s.heard) >= s.Timeout
		s.mu.Unlock()
		switch {
		case leads:
			s.copyLog()
		case late:
			s.campaign()
		}
	}
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	var r Request
	if json.NewDecoder(c).Decode(&r) != nil {
		return
	}
	if a, err := s.answer(r); err == nil {
		json.NewEncoder(c).Encode(a)
	}
}

var errUnknown = errors.New("unknown request")

func (s *server) answer(r Request) (Reply, error) {
	switch r.Kind {
	case "vote":
		return s.vote(r), nil
	case "append":
		return s.append(r), nil
	case "put":
		return s.put(r.Value), nil
	case "get":
		return s.get(), nil
	}
	return Reply{}, errUnknown
}

// sees takes over a later term. The caller holds mu.
func (s *server) sees(term int) {
	if term > s.Disk.Term {
		*s.Disk = Disk{Term: term, Log: s.Disk.Log}
		s.role, s.voted = follower, 0
	}
}

// behind reports whether a log lacks what s may have committed.
func (s *server) behind(log []Entry) bool {
	last := func(l []Entry) int {
		if len(l) == 0 {
			return 0
		}
		return l[len(l)-1].Term
	}
	a, b := last(log), last(s.Disk.Log)
	return a < b || a == b && len(log) < len(s.Disk.Log)
}

func (s *server) vote(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sees(r.Term)
	ok := r.Term == s.Disk.Term && (s.voted == 0 || s.voted == r.From) && !s.behind(r.Log)
	if ok {
		s.heard, s.voted = time.Now(), r.From
		if s.Bug != TwoVotes {
			s.Disk.Vote = r.From
		}
	}
	return Reply{Term: s.Disk.Term, OK: ok}
}

// append takes over the log of a leader.
func (s *server) append(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sees(r.Term)
	if r.Term < s.Disk.Term {
		return Reply{Term: s.Disk.Term}
	}
	s.role, s.heard = follower, time.Now()
	if s.latest != r.Term || len(r.Log) >= len(s.Disk.Log) { // else it is an earlier call
		s.Disk.Log, s.latest = slices.Clone(r.Log), r.Term
	}
	s.commits(min(r.Commit, len(r.Log)))
	return Reply{Term: s.Disk.Term, OK: true}
}

// commits notes that so many entries are committed.
func (s *server) commits(n int) {
	s.commit = max(s.commit, n)
	for ; s.applied < s.commit; s.applied++ {
		if s.Applies != nil {
			s.Applies(s.applied, s.Disk.Log[s.applied])
		}
	}
}

// others calls all other servers, until all have answered once or a majority has said yes. It
// returns whether a majority has, with the caller.
func (s *server) others(r Request, again bool) bool {
	said := make(chan bool, len(s.Addrs))
	for i, addr := range s.Addrs {
		if i == s.ID-1 {
			continue
		}
		go func() {
			end := time.Now().Add(s.Timeout)
			for {
				a, err := Call(addr, r)
				if err == nil {
					s.mu.Lock()
					s.sees(a.Term)
					s.mu.Unlock()
				}
				if err == nil || !again || time.Now().After(end) {
					said <- err == nil && a.OK
					return
				}
				time.Sleep(Again)
			}
		}()
	}
	yes := 1
	for range len(s.Addrs) - 1 {
		if <-said {
			yes++
		}
		if yes > len(s.Addrs)/2 {
			return true
		}
	}
	return false
}

// campaign asks the others for their votes.
func (s *server) campaign() {
	s.mu.Lock()
	term := s.Disk.Term + 1
	*s.Disk = Disk{Term: term, Vote: s.ID, Log: s.Disk.Log}
	s.role, s.voted, s.heard = candidate, s.ID, time.Now()
	r := Request{Kind: "vote", Term: term, From: s.ID, Log: s.Disk.Log}
	s.mu.Unlock()
	if !s.others(r, true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Disk.Term == term && s.role == candidate {
		s.role = leader
		// Only an entry of its own term tells the leader that those before it are committed.
		if n := len(s.Disk.Log); n > 0 && s.Bug != OldTerm {
			s.Disk.Log = append(slices.Clone(s.Disk.Log), Entry{term, s.Disk.Log[n-1].Value})
		}
		if s.Leads != nil {
			s.Leads(term, s.ID)
		}
	}
}

// copyLog copies the log of a leader to the others. It reports whether a majority has taken it, and
// the server still leads.
func (s *server) copyLog() bool {
	s.mu.Lock()
	if s.role != leader {
		s.mu.Unlock()
		return false
	}
	term, log := s.Disk.Term, slices.Clone(s.Disk.Log)
	r := Request{Kind: "append", Term: term, From: s.ID, Log: log, Commit: s.commit}
	s.mu.Unlock()
	if !s.others(r, false) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.role != leader || s.Disk.Term != term {
		return false
	}
	if n := len(log); n > 0 && (log[n-1].Term == term || s.Bug == OldTerm) {
		s.commits(n)
	}
	return true
}

// put adds a value to the log, and reports whether it is committed.
func (s *server) put(v int) Reply {
	s.mu.Lock()
	if s.role != leader {
		s.mu.Unlock()
		return Reply{}
	}
	s.Disk.Log = append(slices.Clone(s.Disk.Log), Entry{s.Disk.Term, v})
	s.mu.Unlock()
	return Reply{OK: s.copyLog()}
}

// get returns the value that was committed last. There may be a leader of a later term, so the
// server asks the others first.
func (s *server) get() Reply {
	if s.Bug != OldReads && !s.copyLog() {
		return Reply{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.role != leader || s.commit == 0 || s.Bug == None && s.Disk.Log[s.commit-1].Term != s.Disk.Term {
		return Reply{}
	}
	return Reply{OK: true, Value: s.Disk.Log[s.commit-1].Value}
}
