package exec

import (
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells a livelock from a long computation, when an execution has reached the limit of
// steps. It is run once more, and its later half looked at: if every goroutine that moves there
// does the same again and again, with the same results, uses the same values in memory, and looks
// at something that others could change, then it goes on like this for ever. What goroutines keep
// to themselves, in variables that are on their stacks only, is not seen: a loop that only counts
// there, and looks at what no other changes meanwhile, is taken for one that waits.

// novelty is what is known of the later half of such an execution.
type novelty struct {
	from  int
	loops []loop // by goroutine
}

// loop is what a goroutine has done in it.
type loop struct {
	signs  []uint64 // of its events, with the accesses of memory before each
	memory uint64   // a number for the accesses since the latest
	looks  bool
}

// longestTurn is how many events a turn of a loop may have that is looked for.
const longestTurn = 1000

const prime = 1099511628211 // of FNV-1a

// access is told that g is about to use memory.
func (v *novelty) access(c *Closure, g *machine.Goroutine, p unsafe.Pointer, size uintptr, reads bool) {
	if c.m.Events.Count < v.from {
		return
	}
	l := v.loop(g.ID)
	l.looks = l.looks || reads
	sum := (l.memory ^ uint64(uintptr(p))) * prime
	// The size may be that of the first byte only; what follows it in its word is the
	// program's memory in any case.
	for i := uintptr(0); i < max(size, 8-uintptr(p)%8) && i < 8*mostWords; i++ {
		sum = (sum ^ uint64(*(*byte)(unsafe.Add(p, i)))) * prime
	}
	l.memory = sum
}

func (v *novelty) loop(id trace.ID) *loop {
	for int(id) >= len(v.loops) {
		v.loops = append(v.loops, loop{})
	}
	return &v.loops[id]
}

// lookForLivelock finds out which goroutines are in a livelock, if it is one that has stopped the
// execution.
func (c *Closure) lookForLivelock() {
	who, ok := c.repeats()
	c.life.stopped = true // also if that was interrupted
	if ok {
		c.endless.livelock = who
	}
}

// repeats runs the execution, which is over, once more, and reports whether it is a livelock, and
// which goroutines are in it.
func (c *Closure) repeats() (who []string, ok bool) {
	s := c.performed()
	v := &novelty{from: len(s) / 2}
	c.endless.novelty, c.m.Polling.Finding = v, true
	c.Close()
	c.Start()
	err := c.Replay(s[:v.from])
	known := err == nil
	for i := v.from; i < len(s) && known; i++ {
		var ev *trace.Event
		if ev, err = c.Step(s[i]); err != nil {
			break
		}
		known = v.event(c, ev)
		if !known {
			err = c.Replay(s[i+1:])
		}
	}
	c.endless.novelty, c.m.Polling.Finding = nil, false
	if !known || err != nil {
		return nil, false
	}
	return v.judge(c)
}

// event adds an event. It returns false if that may have been something new.
func (v *novelty) event(c *Closure, ev *trace.Event) bool {
	sign, looks, known := c.m.Goroutines[ev.G].Did(&ev.Op)
	l := v.loop(ev.G)
	l.signs, l.memory = append(l.signs, (sign^l.memory)*prime), 0
	l.looks = l.looks || looks
	return known
}

// judge says which goroutines have moved, and whether they all repeat what they do, and look at
// something.
func (v *novelty) judge(c *Closure) (names []string, ok bool) {
	for id, l := range v.loops {
		if len(l.signs) == 0 {
			continue
		}
		// Of the memory before the first one a part has been looked at too early to be seen.
		if !periodic(l.signs[1:]) {
			return nil, false
		}
		if g := c.m.Goroutines[id]; !g.Pseudo {
			ok = ok || l.looks
			names = append(names, c.m.NameOf(g))
		}
	}
	return names, ok
}

// periodic reports whether a sequence repeats itself, three times at least.
func periodic(signs []uint64) bool {
	for n := 1; n <= min(longestTurn, len(signs)/3); n++ {
		if slices.Equal(signs[n:], signs[:len(signs)-n]) {
			return true
		}
	}
	return false
}
