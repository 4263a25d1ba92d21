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
	for left := 3 + pick(5); left > 0; {
		i := pick(len(p.Threads))
		s := steps[pick(len(steps))]
		p.Threads[i] = append(p.Threads[i], s)
		left--
		if partner := stepNamed[partners[s.Name]]; partner != nil {
			if pick(2) == 0 {
				p.Threads[i] = append(p.Threads[i], steps[pick(len(steps))])
				left--
			}
			j := i
			if partner.Name[0] != s.Name[0] { // it is for another thread
				j = pick(len(p.Threads))
			}
			p.Threads[j] = append(p.Threads[j], partner)
			left--
		}
	}
	return p
}

// partners are steps that a step would be of little use without. Those of locks are
// for the same thread, others for any.
var partners = map[string]string{
	"mu.Lock()":              "mu.Unlock()",
	"rw.Lock()":              "rw.Unlock()",
	"rw.RLock()":             "rw.RUnlock()",
	"wg.Add(1)":              "wg.Done()",
	"c <- v":                 "<-c",
	"range c":                "close(c)",
	"range d":                "close(d)",
	"<-a.Done()":             "cancel a",
	"<-b.Done()":             "cancel b",
	"mu { cond.Wait() }":     "cond.Signal()",
	"select <-c, <-c":        "select c <- v, default",
	"m.Range":                "m.Store(1, v)",
	"m.Range { <-c }":        "c <- v",
	"ptr.Load()":             "ptr.Store(&v)",
	"pool.Get()":             "pool.Put(v)",
	"<-timer.C":              "timer.Reset()",
	"spin 10 times on n":     "n.Add(1)",
	"runtime.Gosched()":      "n.Add(1)",
	"once.Do(n.Add(1))":      "once.Do(n.Add(1))",
	"<-z":                    "n.Add(1)",
	"time.Sleep(0)":          "n.Load()",
	"time.Sleep(moment)":     "n.Load()",
	"rw.TryLock()":           "n.Add(1)",
	"wg.Wait()":              "wg.Add(1)",
	"cancel l":               "l.Err()",
	"AfterFunc(a, n.Add(1))": "n.Load()",
}
