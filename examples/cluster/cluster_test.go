package cluster

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// trio is three servers, each on a node of its own.
type trio struct {
	nodes   []*por.Node
	addrs   []string
	leaders sync.Map // by term
	entries sync.Map // by index
}

// cluster returns the servers with what they have on their disks.
func cluster(bug Bug, disks [3]Disk, timeouts [3]time.Duration) *trio {
	c := new(trio)
	for i := range 3 {
		n := por.NewNode(string(rune('A'+i)), func() {
			err := Run(Config{ID: i + 1, Addrs: c.addrs, Disk: &disks[i], Timeout: timeouts[i], Bug: bug, Leads: c.leads, Applies: c.applies})
			panic(err)
		})
		c.nodes = append(c.nodes, n)
		c.addrs = append(c.addrs, n.Addr()+":4000")
	}
	return c
}

// run starts the servers.
func (c *trio) run() *trio {
	for _, n := range c.nodes {
		n.Start()
	}
	return c
}

func (c *trio) stop() {
	for _, n := range c.nodes {
		n.Stop()
	}
}

func (c *trio) leads(term, id int) {
	other, known := c.leaders.LoadOrStore(term, id)
	por.Always("a term has one leader", !known || other == id)
	por.Reached("a leader is elected")
	if term > 2 {
		por.Reached("a leader is elected again")
	}
}

func (c *trio) applies(index int, e Entry) {
	other, known := c.entries.LoadOrStore(index, e)
	por.Always("what is committed stays", !known || other == e)
	por.Reached("an entry is committed")
}

// ask makes a call of one server after the other until one says yes, for a time.
func (c *trio) ask(r Request, d time.Duration) (a Reply, ok bool) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(Beat) {
		for _, addr := range c.addrs {
			if a, err := Call(addr, r); err == nil && a.OK {
				return a, true
			}
		}
	}
	return a, false
}

const (
	soon  = 600 * time.Millisecond
	later = time.Second
)

// votes has two servers that want to become the leader at the same time.
func votes(bug Bug) {
	c := cluster(bug, [3]Disk{}, [3]time.Duration{soon, soon, 3 * time.Second}).run()
	time.Sleep(time.Second)
	c.stop()
}

// terms begins when A has an entry of term 1 that it has not copied, and B one of term 2: each has
// stopped too early. A starts again first, becomes the leader, and copies its entry to C. If it stops
// then, B becomes the leader: its log ends with a later term.
func terms(bug Bug) {
	c := cluster(bug, [3]Disk{
		{Term: 2, Log: []Entry{{1, 11}}},
		{Term: 2, Log: []Entry{{2, 22}}},
		{Term: 2},
	}, [3]time.Duration{soon, later, 30 * time.Second})
	c.nodes[0].Start()
	c.nodes[2].Start()
	time.Sleep(1500 * time.Millisecond)
	c.nodes[1].Start()
	time.Sleep(4 * time.Second)
	c.stop()
}

// reads has a client that puts a value and reads it.
func reads(bug Bug) {
	c := cluster(bug, [3]Disk{}, [3]time.Duration{soon, later, 2 * later}).run()
	for v := 1; v <= 2; v++ {
		if _, ok := c.ask(Request{Kind: "put", Value: v}, 5*time.Second); ok {
			a, ok := c.ask(Request{Kind: "get"}, 5*time.Second)
			por.Always("a read gives what was put before", !ok || a.Value >= v)
		}
		time.Sleep(2 * time.Second)
	}
	c.stop()
}

var lessons = []struct {
	name  string
	run   func(Bug)
	bug   Bug
	kinds sched.Faults
	says  string
}{
	{"votes", votes, TwoVotes, sched.FaultCrash, "a term has one leader"},
	{"terms", terms, OldTerm, sched.FaultCrash | sched.FaultIsolate, "what is committed stays"},
	{"reads", reads, OldReads, sched.FaultIsolate, "a read gives what was put before"},
}

// TestWithoutFaults finds none of the mistakes.
func TestWithoutFaults(t *testing.T) {
	for _, l := range lessons {
		t.Run(l.name, func(t *testing.T) {
			por.Check(t, func() { l.run(l.bug) }, por.MaxTime(2*time.Second))
		})
	}
}

// TestRight finds nothing wrong, with one fault.
func TestRight(t *testing.T) {
	for _, l := range lessons {
		t.Run(l.name, func(t *testing.T) {
			por.Check(t, func() { l.run(None) }, por.Faults(1, l.kinds), por.MaxTime(3*time.Second))
		})
	}
}

// TestMistakes finds each mistake with one fault.
func TestMistakes(t *testing.T) {
	for _, l := range lessons {
		t.Run(l.name, func(t *testing.T) {
			res, err := por.Explore(func() { l.run(l.bug) }, por.Faults(1, l.kinds), por.MaxTime(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Msg, l.says) {
				t.Fatal(res.Verdict)
			}
			t.Logf("%s\n%s", res.Verdict, res.Failures[0].Report)
		})
	}
}
