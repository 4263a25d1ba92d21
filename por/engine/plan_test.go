package engine

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestPlanIsFair plays plans with engines whose executions are of different lengths, and somebody who
// gives what is free to anybody: with four thirds of the steps each engine has made what it would have made in the order that was
// decided in advance, but for a turn and an execution.
func TestPlanIsFair(t *testing.T) {
	const alone, most = 1000, 200_000
	// The order that was decided in advance, step by step: what each has made after so many.
	advance := make([][3]int64, 1, most)
	for round := int64(alone); len(advance) < most; round *= 2 {
		for i, steps := range []int64{round, round / 4, round / 4} {
			for range steps {
				now := advance[len(advance)-1]
				now[i]++
				advance = append(advance, now)
			}
		}
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		longest := []int64{1 + r.Int64N(300), 1 + r.Int64N(300), 1 + r.Int64N(300)}
		favourite := r.IntN(4) - 1
		p := newPlan(alone)
		made := [3]int64{alone, 0, 0}
		for made[0]+made[1]+made[2] < most {
			best := favourite
			if seed%2 == 0 {
				best = r.IntN(4) - 1
			}
			who, goal := p.next(made, [3]bool{}, best, func() bool { return false })
			for made[who] < goal {
				made[who] += 1 + r.Int64N(longest[who])
				slack := p.turn + 2*max(longest[0], longest[1], longest[2])
				total := made[0] + made[1] + made[2]
				if n := (total - slack) * 3 / 4; n > 0 && n < most {
					for i, want := range advance[n] {
						if made[i] < want-slack {
							t.Fatalf("seed %d: after %d steps engine %d has made %d, and %d in advance", seed, total, i, made[i], want)
						}
					}
				}
			}
		}
	}
}

// TestPlanFavours gives what is free to the best, if there is one that can take it.
func TestPlanFavours(t *testing.T) {
	play := func(best int, gone [3]bool, expected bool) (share [3]float64) {
		p, made, sum := newPlan(1000), [3]int64{1000, 0, 0}, 0.0
		for p.round < 1<<20 {
			who, goal := p.next(made, gone, best, func() bool { return expected })
			share[who] += float64(goal - made[who])
			sum += float64(goal - made[who])
			made[who] = goal
		}
		for i := range share {
			share[i] /= sum
		}
		return share
	}
	for _, c := range []struct {
		best     int
		gone     [3]bool
		expected bool
		least    [3]float64
	}{
		{-1, [3]bool{}, false, [3]float64{0.66, 0.16, 0.16}},
		{0, [3]bool{}, false, [3]float64{0.74, 0.12, 0.12}},
		{1, [3]bool{}, false, [3]float64{0.49, 0.35, 0.11}},
		{2, [3]bool{}, false, [3]float64{0.49, 0.11, 0.35}},
		{2, [3]bool{}, true, [3]float64{1, 0, 0}},
		{2, [3]bool{true, false, false}, false, [3]float64{0, 0.36, 0.55}},
		{2, [3]bool{false, true, true}, false, [3]float64{1, 0, 0}},
		{1, [3]bool{true, false, true}, true, [3]float64{0, 1, 0}},
	} {
		got := play(c.best, c.gone, c.expected)
		for i := range got {
			if got[i] < c.least[i] {
				t.Errorf("best %d, gone %v, expected %v: shares %.2f", c.best, c.gone, c.expected, got)
				break
			}
		}
	}
	p := newPlan(10)
	if who, _ := p.next([3]int64{}, [3]bool{true, true, true}, 1, func() bool { return false }); who != -1 {
		t.Errorf("engine %d goes on, and all are gone", who)
	}
}

// TestPairs counts pairs of events: both orders of two adds are one each, and independent
// operations are none.
func TestPairs(t *testing.T) {
	c := exec.New(func() {
		var n, m sched.Int64
		sched.Go(func() { n.Add(1); m.Add(1) })
		n.Add(1)
	}, exec.Options{})
	defer c.Shutdown()
	k := pairs{trace.NewTracker(trace.Dependence), make(map[uint64]struct{})}
	var found []int
	if _, err := (Optimal{}).Explore(c, func(x *trace.Execution) bool {
		s := append(trace.Schedule(nil), x.Schedule...)
		x.Run.Close()
		found = append(found, k.add(c, s), k.add(c, s))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if len(found) != 4 || found[0] != 1 || found[1] != 0 || found[2] != 1 || found[3] != 0 {
		t.Errorf("new pairs: %v", found)
	}
}

// interrupts counts how often it is interrupted and let go on.
type interrupts [2]int

func (i *interrupts) Interrupt(on bool) {
	if on {
		i[0]++
	} else {
		i[1]++
	}
}

// TestDeadlineRemembers: an engine may be interrupted, show an execution, and say only then that it was interrupted.
func TestDeadlineRemembers(t *testing.T) {
	var p interrupts
	d := deadline{end: time.Now().Add(time.Hour), program: &p}
	d.arm()
	d.ring()
	for range 2 {
		if !d.disarm() {
			t.Error("it was not interrupted")
		}
	}
	d.ring()
	if p != [2]int{1, 1} {
		t.Error(p)
	}
}

// TestDeadlineIsTheEnginesOwn: while other engines explore inside of the turn of one that has completed no execution, its
// deadline does not interrupt theirs, even if it came just before. It does when the turn is its own again.
func TestDeadlineIsTheEnginesOwn(t *testing.T) {
	for _, before := range []bool{false, true} {
		c := exec.New(func() {}, exec.Options{})
		defer c.Shutdown()
		s := &auto{program: c, begin: time.Now(), waits: &deadline{end: time.Now().Add(time.Hour), program: c}}
		outer, other := s.waits, &turns{stats: trace.Stats{Executions: 1}}
		s.all[whole], s.all[drawn] = &turns{}, other
		outer.arm()
		if before {
			outer.ring()
		}
		if err := s.patiently(other, func() {
			if !before {
				outer.ring()
			}
			if c.Halted() {
				t.Errorf("before %v: the other one is interrupted", before)
			}
		}); err != nil {
			t.Error(err)
		}
		if !c.Halted() || s.waits != outer {
			t.Errorf("before %v: it is not interrupted when its turn goes on", before)
		}
		if rung := outer.disarm(); c.Halted() || !rung {
			t.Errorf("before %v: it stays interrupted, or nothing is known of that", before)
		}
	}
}

// TestDeadlineMoves moves a deadline that was due while it was held, one that has rung, and one that
// is an hour away.
func TestDeadlineMoves(t *testing.T) {
	hour := func() time.Time { return time.Now().Add(time.Hour) }
	var p interrupts
	d := deadline{end: hour(), program: &p}
	d.arm()
	d.hold(true)
	d.ring()
	d.move(hour())
	if d.hold(false); p != [2]int{} {
		t.Errorf("%v: it was due, and was moved", p)
	}
	d.ring()
	if forgiven := d.forgive(hour()); !forgiven || p != [2]int{1, 1} {
		t.Errorf("%v: it has rung, and may go on: %v", p, forgiven)
	}
	if d.forgive(hour()) || d.disarm() || d.forgive(hour()) {
		t.Error("it has not rung")
	}

	c := exec.New(func() {}, exec.Options{})
	defer c.Shutdown()
	for _, d := range []*deadline{{program: c}, {program: c, end: hour()}} {
		if !d.end.IsZero() {
			d.arm()
		}
		d.move(time.Now())
		for begin := time.Now(); !c.Halted(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > time.Minute {
				t.Fatal("it was moved to the present, and does not ring")
			}
		}
		if !d.disarm() || c.Halted() {
			t.Error("it stays interrupted, or nothing is known of that")
		}
	}
}

// TestDeadlineOfOptimal has another engine take its turn inside of that of Optimal, which has completed
// an execution and was late already. Its next execution has its time then.
func TestDeadlineOfOptimal(t *testing.T) {
	c := exec.New(func() {}, exec.Options{})
	defer c.Shutdown()
	s := &auto{program: c, begin: time.Now(), waits: &deadline{end: time.Now().Add(time.Hour), program: c}}
	other := new(turns)
	s.all[whole], s.all[drawn] = &turns{stats: trace.Stats{Executions: 1}}, other
	s.waits.arm()
	if err := s.patiently(other, s.waits.ring); err != nil || c.Halted() {
		t.Errorf("%v, interrupted %v", err, c.Halted())
	}
	s.waits.disarm()
}

// TestAllowed says how long executions may take after eight seconds of eighty.
func TestAllowed(t *testing.T) {
	for _, test := range []struct {
		engine int
		own    int64 // executions of the engine
		all    int64
		want   time.Duration
	}{
		{bounded, 0, 100, 36 * time.Second},
		{whole, 1, 100, 36 * time.Second},
		{bounded, 1, 100, 10 * time.Second},
		{drawn, 1, 100, 10 * time.Second},
		{drawn, 1, 2, 16 * time.Second},
	} {
		s := &auto{Auto: Auto{Time: 80 * time.Second}, begin: time.Now().Add(-8 * time.Second), stats: trace.Stats{Executions: test.all}}
		for i := range s.all {
			s.all[i] = &turns{stats: trace.Stats{Executions: test.own}}
		}
		if got := time.Until(s.allowed(s.all[test.engine])); got > test.want+test.want/2 || got < test.want-test.want/2 {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestSharesTold compares what docs/how.md says of the engines' shares with what a plan gives.
func TestSharesTold(t *testing.T) {
	text, err := os.ReadFile("../../docs/how.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`Optimal DPOR has (\w+) of the steps, and each of\s+the others an? (\w+)\. The last (\w+) goes`).FindSubmatch(text)
	if m == nil {
		t.Fatal("docs/how.md does not say what share of the steps each engine has")
	}
	shares := map[string]float64{"half": 1. / 2, "third": 1. / 3, "quarter": 1. / 4, "sixth": 1. / 6, "eighth": 1. / 8}
	optimal, other, best := shares[string(m[1])], shares[string(m[2])], shares[string(m[3])]
	p, made := newPlan(1000), [3]int64{1000, 0, 0}
	for p.round < 1<<20 {
		who, goal := p.next(made, [3]bool{}, 1, func() bool { return false })
		made[who] = goal
	}
	all := float64(made[0] + made[1] + made[2])
	for i, want := range []float64{optimal, other + best, other} {
		if got := float64(made[i]) / all; math.Abs(got-want) > 0.02 {
			t.Errorf("docs/how.md gives engine %d of the plan %.3f of the steps if engine 1 finds most, and the plan %.3f", i, want, got)
		}
	}
}
