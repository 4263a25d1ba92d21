package unfold

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// naming gives objects names that are valid in the whole unfolding: "Mutex 1".
//
// Reports name the objects of one execution, and [objects] tells objects of different
// executions apart as far as the search needs it: one object may have many identities that no
// execution has shown to be the same. So each identity has a thing, and two things become one -
// if an execution shows that they are the same, - or if the same line of code uses both, as the
// same operation of the same goroutine, in different executions, and no execution shows that
// they are two objects. That is a guess, and concerns names only.
type naming struct {
	things []thing
	number map[identified]int
	apart  map[[2]int]bool // pairs of things that are different objects
	here   map[called]int  // the things of the current execution
	uses   []usage         // in the order in which they were met
	known  map[usage]bool
}

// thing stands for one object, as far as known.
type thing struct {
	kind string
	same int // another thing that is the same object, or itself
}

// identified is an identity with a kind. One identity may have several kinds: the Done channel
// of a context belongs to both.
type identified struct {
	kind     string
	identity int32 // an identity of objects; negative for an event without one
}

// called is the name of an object in one execution.
type called struct {
	kind   string
	object int32
}

// usage is the use of a thing by an operation.
type usage struct {
	g, depth int32 // of the operation
	where    string
	place    int // index of the thing in the operation
	thing    int
}

// nameless is the kind of all objects if nothing is recorded.
const nameless = "object"

func newNaming() *naming {
	return &naming{
		number: make(map[identified]int), apart: make(map[[2]int]bool),
		here: make(map[called]int), known: make(map[usage]bool),
	}
}

// begin begins an execution.
func (n *naming) begin() { clear(n.here) }

// end ends an execution: objects with different numbers are different.
func (n *naming) end() {
	for c, t := range n.here {
		for d, u := range n.here {
			if c.kind == d.kind && c.object != d.object {
				n.apart[[2]int{t, u}] = true
			}
		}
	}
}

// see returns the things to be named in the description of event k of the execution, which is
// e.
func (n *naming) see(s *survey, e id, k int, entry exec.Entry) (things []int) {
	performed := &s.Events[k]
	kind, _, named := strings.Cut(entry.Obj, " ")
	if !s.recorded {
		kind, named = nameless, performed.Kind != trace.OpSelect
	}
	if !named {
		return nil
	}
	uses := s.events[e].uses.list()
	for i, a := range performed.Uses.List() {
		if i > 0 && performed.Kind != trace.OpTransfer {
			break
		}
		identity := uses[i].object
		if a.Obj < 0 {
			if !s.recorded {
				continue
			}
			identity, a.Obj = -e, -e
		}
		t := n.thing(identified{kind, identity})
		n.here[called{kind, a.Obj}] = t
		u := usage{s.nodes[e].g, s.nodes[e].depth, fmt.Sprint(performed.Kind, entry.File, entry.Line), i, t}
		if !n.known[u] {
			n.known[u] = true
			n.uses = append(n.uses, u)
		}
		things = append(things, t)
	}
	return things
}

// thing returns the number of a thing.
func (n *naming) thing(i identified) int {
	t, ok := n.number[i]
	if !ok {
		t = len(n.things)
		n.number[i] = t
		n.things = append(n.things, thing{i.kind, t})
	}
	return t
}

func (n *naming) find(t int) int {
	for n.things[t].same != t {
		t = n.things[t].same
	}
	return t
}

// unite makes two things one.
func (n *naming) unite(t, u int) {
	if t, u = n.find(t), n.find(u); t != u {
		n.things[max(t, u)].same = min(t, u)
	}
}

// distinct reports whether two things are known to be two objects.
func (n *naming) distinct(t, u int) bool {
	t, u = n.find(t), n.find(u)
	for pair := range n.apart {
		if n.find(pair[0]) == t && n.find(pair[1]) == u {
			return true
		}
	}
	return false
}

// resolve returns the names of things. Things that were met first have lower numbers.
func (n *naming) resolve(t *objects) []string {
	for i, x := range n.number {
		if i.identity > 0 {
			n.unite(x, n.thing(identified{i.kind, t.representative(i.identity)}))
		}
	}
	first := make(map[usage]int)
	for _, u := range n.uses {
		x := u.thing
		u.thing = 0
		if y, ok := first[u]; !ok {
			first[u] = x
		} else if n.find(x) != n.find(y) && !n.distinct(x, y) {
			n.unite(x, y)
		}
	}
	names, count := make([]string, len(n.things)), make(map[string]int)
	for i, x := range n.things {
		if names[i] = names[n.find(i)]; names[i] == "" {
			count[x.kind]++
			names[i] = fmt.Sprint(x.kind, " ", count[x.kind])
		}
	}
	return names
}
