package toy

// Goroutines are numbered as they are first met, which depends on what is run
// first. So that all runs of a program agree on the numbers, all names that its
// goroutines can have are met in advance, in one order.

// name is what a goroutine can be called: its place among its parent's children.
type name struct {
	parent int // index of the parent's name; main is 0
	place  int32
}

// names lists all names but main's, parents before children, a parent's
// children in order.
func (p *Program) names() []name {
	n := namer{p: p, list: []name{{}}, fires: p.firings()}
	main := n.births(0)
	for _, o := range p.Objects {
		if o.Kind >= Timer {
			n.timers = append(n.timers, o)
		}
	}
	n.children(0, [][]birth{main}, len(n.timers))
	return n.list[1:]
}

type namer struct {
	p      *Program
	list   []name
	timers []Object
	fires  []int // by object
}

// birth is an instruction that makes a goroutine: the thread that it runs.
type birth int

func (n *namer) births(thread int) (bs []birth) {
	for _, in := range n.p.Threads[thread] {
		if in.Code == Spawn {
			bs = append(bs, birth(in.N))
		}
	}
	return bs
}

// children names the children of parent, which runs one of several bodies; the
// first children of main are its timers.
func (n *namer) children(parent int, bodies [][]birth, timers int) {
	most := 0
	for _, bs := range bodies {
		most = max(most, len(bs))
	}
	for place := range timers + most {
		at := len(n.list)
		n.list = append(n.list, name{parent, int32(place)})
		if place < timers {
			if o := n.timers[place]; o.Kind == After {
				for range n.fires[n.objectOf(o)] {
					kid := len(n.list)
					n.list = append(n.list, name{at, int32(n.placeUnder(at))})
					n.children(kid, [][]birth{n.births(o.Ref)}, 0)
				}
			}
			continue
		}
		// A branch may have left out births before this one.
		var next [][]birth
		seen := map[birth]bool{}
		for _, bs := range bodies {
			for _, b := range bs[min(place-timers, len(bs)):] {
				if !seen[b] {
					seen[b] = true
					next = append(next, n.births(int(b)))
				}
			}
		}
		n.children(at, next, 0)
	}
}

// placeUnder returns the next free place among the children of parent.
func (n *namer) placeUnder(parent int) (place int) {
	for _, nm := range n.list[1:] {
		if nm.parent == parent {
			place++
		}
	}
	return place
}

func (n *namer) objectOf(o Object) int {
	for i, other := range n.p.Objects {
		if other.Name == o.Name {
			return i
		}
	}
	return -1
}

// firings returns how often each After can fire at most.
func (p *Program) firings() []int {
	instances := make([]int, len(p.Threads)) // of each thread, at most
	instances[0] = 1
	fires := make([]int, len(p.Objects))
	for i, o := range p.Objects {
		if o.Kind == After {
			fires[i] = 1
		}
	}
	// Whatever starts a thread, or restarts its timer, is in a thread before it.
	for t, body := range p.Threads {
		for i, o := range p.Objects {
			if o.Kind == After && o.Ref == t {
				instances[t] += fires[i]
			}
		}
		for _, in := range body {
			switch {
			case in.Code == Spawn:
				instances[in.N] += instances[t]
			case in.Code == Reset && p.Objects[in.Obj].Kind == After:
				fires[in.Obj] += instances[t]
			}
		}
	}
	return fires
}

// Paths returns the names as package sched knows them: a goroutine's place among
// its parent's children, after its parent's name. Goroutine 2+i has the i-th.
func (p *Program) Paths() [][]int32 {
	names := p.names()
	paths := make([][]int32, 1, len(names)+1)
	for _, nm := range names {
		parent := paths[nm.parent]
		paths = append(paths, append(parent[:len(parent):len(parent)], nm.place))
	}
	return paths[1:]
}
