package witness

// Generate makes a small program. Each decision is one call of pick, which returns a
// number from 0 to n-1; the same answers give the same program. Few groups of steps
// have a part in it, so that threads have to do with each other.
func Generate(pick func(n int) int) *Program {
	var steps []*Step
	for range 1 + pick(2) {
		steps = append(steps, groups[pick(len(groups))]...)
	}
	p := &Program{Threads: make([][]*Step, 2+pick(5)/3)} // 2, 2, 2, 3, 3
	left := 3 + pick(5)
	add := func(thread int, s *Step) {
		p.Threads[thread] = append(p.Threads[thread], s)
		left--
	}
	for left > 0 {
		i, s := pick(len(p.Threads)), steps[pick(len(steps))]
		add(i, s)
		end, own := ends[s.Name]
		partner, other := partners[s.Name]
		if (own || other) && pick(2) == 0 {
			add(i, steps[pick(len(steps))])
		}
		if own {
			add(i, stepNamed[end])
		}
		if other {
			add(pick(len(p.Threads)), stepNamed[partner])
		}
	}
	return p
}

// ends are what a thread that has begun something is to do soon.
var ends = map[string]string{
	"mu.Lock()":  "mu.Unlock()",
	"rw.Lock()":  "rw.Unlock()",
	"rw.RLock()": "rw.RUnlock()",
	"cancel l":   "l.Err()",
}

// partners are what some thread is to do for a step to be of use.
var partners = map[string]string{
	"wg.Add(1)":                "wg.Done()",
	"wg.Wait()":                "wg.Add(1)",
	"c <- v":                   "<-c",
	"range c":                  "close(c)",
	"range d":                  "close(d)",
	"select <-c, <-c":          "select c <- v, default",
	"mu { cond.Wait() }":       "cond.Signal()",
	"mu { x, cond.Wait(), x }": "mu { x, cond.Wait(), x }",
	"once.Do(n.Add(1))":        "once.Do(n.Add(1))",
	"m.Range":                  "m.Store(1, v)",
	"m.Range { <-c }":          "c <- v",
	"ptr.Load()":               "ptr.Store(&v)",
	"pool.Get()":               "pool.Put(v)",
	"<-a.Done()":               "cancel a",
	"<-b.Done()":               "cancel b",
	"AfterFunc(a, n.Add(1))":   "n.Load()",
	"<-timer.C":                "timer.Reset()",
	"time.Sleep(0)":            "n.Load()",
	"time.Sleep(moment)":       "n.Load()",
	"runtime.Gosched()":        "n.Add(1)",
	"spin 10 times on n":       "n.Add(1)",
	"hand.Read(buf)":           "(<-hand)[0] = 1",
	"late.Write(buf)":          "c <- v",
}
