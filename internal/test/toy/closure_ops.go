package toy

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// perform performs an instruction on the primitives, and returns its result as
// a [Runner] encodes it.
func (a *actor) perform(in *Instr) int64 {
	switch in.Code {
	case Select:
		return a.choose(in)
	case Choose:
		return int64(sched.Choose(int(in.N)))
	case Yield:
		yield()
	case Join:
		if k := a.kids[int(in.N)]; k != nil {
			k.h.Join()
		}
	case Sleep:
		a.sleep(time.Duration(in.N) * unit)
	case Now:
		return int64(sched.Since(hook.StartTime()) / unit)
	default:
		return a.use(in, &a.objs[in.Obj])
	}
	return 0
}

// sleep sleeps from another place each time: at the same place again it would
// be a loop, which is treated in another way.
func (a *actor) sleep(d time.Duration) {
	a.sleeps++
	switch a.sleeps {
	case 1:
		sched.Sleep(d)
	case 2:
		sched.Sleep(d)
	case 3:
		sched.Sleep(d)
	case 4:
		sched.Sleep(d)
	default:
		panic("toy: too many sleeps in one thread")
	}
}

// use performs an instruction that is for one object.
func (a *actor) use(in *Instr, o *object) int64 {
	x, y := a.value(in.Args[0]), a.value(in.Args[1])
	switch {
	case o.atomic != nil:
		return o.useAtomic(in.Code, x, y)
	case o.plain != nil:
		return o.usePlain(in.Code, x)
	}
	switch in.Code {
	case Lock, Unlock, TryLock, RLock, RUnlock, TryRLock:
		return o.lock(in.Code)
	case Send:
		o.ch.Send(x)
	case Recv:
		return o.recv()<<8 | 1
	case Close:
		o.ch.Close()
	case Len:
		return int64(o.ch.Len())
	case WGAdd:
		o.wg.Add(int(in.N))
	case WGDone:
		o.wg.Done()
	case WGWait:
		o.wg.Wait()
	case Wait:
		o.cond.Wait()
	case Signal:
		o.cond.Signal()
	case Broadcast:
		o.cond.Broadcast()
	case Use:
		o.pool.Put(1)
	case Stop, Reset:
		return o.control(in)
	}
	return 0
}

func (o *object) useAtomic(c Code, x, y int64) (r int64) {
	switch c {
	case Read, Load:
		return o.atomic.Load()
	case Write, Store:
		o.atomic.Store(x)
		o.cell.Store(x)
	case Update, Swap:
		r = o.atomic.Swap(x)
		o.cell.Store(x)
	case Add:
		r = o.atomic.Add(x)
		o.cell.Store(r)
	case And:
		r = o.atomic.And(x)
		o.cell.Store(r & x)
	case Or:
		r = o.atomic.Or(x)
		o.cell.Store(r | x)
	case CAS:
		if o.atomic.CompareAndSwap(x, y) {
			o.cell.Store(y)
			return 1
		}
	}
	return r
}

func (o *object) usePlain(c Code, x int64) (r int64) {
	switch c {
	case Read, Load:
		return o.plain.Load()
	case Write, Store:
		o.plain.Store(x)
		o.cell.Store(x)
	case Update, Swap:
		o.plain.Update(func(old int64) int64 { r = old; return x })
		o.cell.Store(x)
	case Add:
		o.plain.Update(func(old int64) int64 { r = old + x; return r })
		o.cell.Store(r)
	}
	return r
}

// lock uses a Mutex or an RWMutex.
func (o *object) lock(c Code) int64 {
	var l sched.Locker = o.mutex
	try := o.mutex.TryLock
	if o.rw != nil {
		l, try = o.rw, o.rw.TryLock
	}
	switch c {
	case Lock:
		l.Lock()
	case Unlock:
		l.Unlock()
	case TryLock:
		return truth(try())
	case RLock:
		o.rw.RLock()
	case RUnlock:
		o.rw.RUnlock()
	case TryRLock:
		return truth(o.rw.TryRLock())
	}
	return 0
}

// recv receives from a channel or a timer's channel.
func (o *object) recv() int64 {
	if o.tick != nil {
		return tickValue(o.tick.Recv2())
	}
	return chanValue(o.ch.Recv2())
}

func chanValue(v int64, ok bool) int64 {
	if ok {
		return v
	}
	return -1
}

// tickValue is 1 for any time.
func tickValue(_ time.Time, ok bool) int64 { return chanValue(1, ok) }

func (o *object) control(in *Instr) int64 {
	d := time.Duration(in.N) * unit
	switch {
	case o.ticker != nil && in.Code == Stop:
		o.ticker.Stop()
	case o.ticker != nil:
		o.ticker.Reset(d)
	case in.Code == Stop:
		return truth(o.timer.Stop())
	default:
		return truth(o.timer.Reset(d))
	}
	return 0
}

// choose performs a select.
func (a *actor) choose(in *Instr) int64 {
	var cases []sched.Case
	var v int64
	var at time.Time
	var ok bool
	for _, k := range in.Cases {
		o := &a.objs[k.Obj]
		switch {
		case k.Send:
			cases = append(cases, sched.SendCase(o.ch, a.value(k.Val)))
		case o.tick != nil:
			cases = append(cases, sched.RecvCase(o.tick, &at, &ok))
		default:
			cases = append(cases, sched.RecvCase(o.ch, &v, &ok))
		}
	}
	if in.Default {
		cases = append(cases, sched.Default)
	}
	i := sched.Select(cases...)
	n := int64(i) << 8
	if i < len(in.Cases) && !in.Cases[i].Send {
		r := chanValue(v, ok)
		if a.objs[in.Cases[i].Obj].tick != nil {
			r = tickValue(at, ok)
		}
		n |= r & 0xff
	}
	return n
}
