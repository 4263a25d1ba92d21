package witness

// family is a kind of programs of which a coarse model misses outcomes.
type family struct {
	name string
	// holds reports whether a program is of the family.
	holds func(p *Program) bool
	// awaited says that package sched has the coarse model. Random programs of the family
	// are then not compared, and TestKnown demands that the known outcomes are
	// missed, so that this is taken back when they no longer are.
	awaited bool
}

var families = []family{
	{"contexts", having(cancels, derives), false},                         // trees of them, cancelled step by step
	{"Range", having(ranges, writesMap), false},                           // of a sync.Map, key by key
	{"TryLock", having(tries, sharesRW), false},                           // of a RWMutex, which may fail in vain
	{"Pool", having(gets, puts), false},                                   // that may drop what it has
	{"WaitGroup", having(addsWG, waitsWG), false},                         // that is used again too early
	{"select", having(twice), false},                                      // with two cases on one channel
	{"yields", having(yields), false},                                     // that promise nothing
	{"ticker", having(ticks), false},                                      // that ticks again at once
	{"timer", func(p *Program) bool { return p.count(stops) > 1 }, false}, // that is sending is stopped and stopped again
	{"memory", having(unread), false},                                     // is handed over that is not used, or not yet
	{"order", having(ordered), false},                                     // of the keys of maps
}

// having is of programs that have each of some traits somewhere.
func having(traits ...trait) func(p *Program) bool {
	return func(p *Program) bool {
		for _, t := range traits {
			if p.traits()&t == 0 {
				return false
			}
		}
		return true
	}
}

// count returns the number of steps of p that have a trait.
func (p *Program) count(t trait) (n int) {
	for _, steps := range p.Threads {
		for _, s := range steps {
			if s.traits&t != 0 {
				n++
			}
		}
	}
	return n
}

// awaits returns the name of an awaited family that p is of, "" if there is none.
func awaits(p *Program) string {
	for _, f := range families {
		if f.awaited && f.holds(p) {
			return f.name
		}
	}
	return ""
}
