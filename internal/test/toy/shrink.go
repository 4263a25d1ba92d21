package toy

import (
	"iter"

	"github.com/gopor/gopor/internal/test/shrink"
	"github.com/gopor/gopor/sched"
)

// Shrink returns a program that fails as p does and from which nothing can be
// taken away.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	return shrink.Program(p, (*Program).smaller, func(q *Program) bool { return q.Check() == nil && fails(q) })
}

// smaller yields programs that lack something of p.
func (p *Program) smaller() iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		for t := len(p.Threads) - 1; t > 0; t-- {
			if q := p.withoutThread(t); q != nil && !yield(q) {
				return
			}
		}
		for t := range p.Threads {
			for i := range p.Threads[t] {
				if q := p.withoutInstr(t, i); q != nil && !yield(q) {
					return
				}
			}
		}
		for i := range p.Objects {
			if q := p.withoutObject(i); q != nil && !yield(q) {
				return
			}
		}
		p.simpler(yield)
	}
}

// simpler yields programs in which a detail of p is simpler.
func (p *Program) simpler(yield func(*Program) bool) {
	if p.Time != sched.TimeDiscrete {
		q := p.Clone()
		q.Time, q.Lag = sched.TimeDiscrete, 0
		if !yield(q) {
			return
		}
	}
	for i, o := range p.Objects {
		if o.Kind == Chan && o.N > 0 || o.Kind == Cell && o.N != 0 || o.N > 1 {
			q := p.Clone()
			q.Objects[i].N--
			if o.Kind == Cell {
				q.Objects[i].N = 0
			}
			if !yield(q) {
				return
			}
		}
	}
	for t := range p.Threads {
		for i := range p.Threads[t] {
			for _, change := range simplifications {
				q := p.Clone()
				if change(&q.Threads[t][i]) && !yield(q) {
					return
				}
			}
		}
	}
}

// simplifications change an instruction to a simpler one, and report whether
// there was anything to change.
var simplifications = []func(in *Instr) bool{
	func(in *Instr) bool {
		changed := in.Default
		in.Default = false
		return changed
	},
	func(in *Instr) bool { return in.dropCase(0) },
	func(in *Instr) bool { return in.dropCase(1) },
	func(in *Instr) bool {
		changed := in.Dst >= 0
		in.Dst = -1
		return changed
	},
	func(in *Instr) bool {
		changed := in.Args != [2]Value{}
		in.Args = [2]Value{}
		return changed && in.Code != If
	},
	func(in *Instr) bool {
		switch in.Code {
		case Choose, Sleep, WGAdd, Reset, If:
			if in.N > 1 {
				in.N--
				return true
			}
		}
		return false
	},
}

func (in *Instr) dropCase(i int) bool {
	if i >= len(in.Cases) {
		return false
	}
	in.Cases = append(in.Cases[:i], in.Cases[i+1:]...)
	return true
}

// withoutInstr leaves out instruction i of thread t.
func (p *Program) withoutInstr(t, i int) *Program {
	q := p.Clone()
	body := q.Threads[t]
	for j := range i {
		if k := &body[j]; (k.Code == If || k.Code == Do) && j+1+int(k.N) > i {
			k.N--
		}
	}
	body = append(body[:i], body[i+1:]...)
	for j := len(body) - 1; j >= 0; j-- {
		if body[j].Code == If && body[j].N == 0 {
			return nil // leave out the branch first
		}
	}
	q.Threads[t] = body
	return q
}

// withoutThread leaves out thread t and whatever starts it or waits for it.
func (p *Program) withoutThread(t int) *Program {
	q := p.Clone()
	for _, o := range q.Objects {
		if o.Kind == After && o.Ref == t {
			return nil
		}
	}
	for s := range q.Threads {
		for i := len(q.Threads[s]) - 1; i >= 0; i-- {
			in := &q.Threads[s][i]
			if in.Code != Spawn && in.Code != Join {
				continue
			}
			if in.N == int64(t) {
				if q = q.withoutInstr(s, i); q == nil {
					return nil
				}
			} else if in.N > int64(t) {
				in.N--
			}
		}
	}
	for i := range q.Objects {
		if o := &q.Objects[i]; o.Kind == After && o.Ref > t {
			o.Ref--
		}
	}
	q.Threads = append(q.Threads[:t], q.Threads[t+1:]...)
	return q
}

// withoutObject leaves out object i, which nothing uses.
func (p *Program) withoutObject(i int) *Program {
	q := p.Clone()
	for _, body := range q.Threads {
		for j := range body {
			in := &body[j]
			if codes[in.Code].on != 0 {
				if in.Obj == i {
					return nil
				}
				if in.Obj > i {
					in.Obj--
				}
			}
			for k := range in.Cases {
				if in.Cases[k].Obj == i {
					return nil
				}
				if in.Cases[k].Obj > i {
					in.Cases[k].Obj--
				}
			}
		}
	}
	for j := range q.Objects {
		o := &q.Objects[j]
		if o.Kind == Cond && j != i {
			if o.Ref == i {
				return nil
			}
			if o.Ref > i {
				o.Ref--
			}
		}
	}
	q.Objects = append(q.Objects[:i], q.Objects[i+1:]...)
	return q
}
