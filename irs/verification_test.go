package irs

import (
	"context"
	"sync"
	"testing"

	"github.com/gopor/gopor/examples/paper"
)

// TestBegin executes a program by several goroutines while it is verified. Prefixes get
// shorter, and no execution fails.
func TestBegin(t *testing.T) {
	p, _ := paper.Named("lastzero")
	f := p.Make(9, 0)
	var seen []*Prefix
	o := Options{Sched: p.Options, Relaxed: func(p *Prefix) { seen = append(seen, p) }}
	v, err := Begin(context.Background(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := 0; ; i++ {
				before := v.Prefix()
				if err := v.Run(); err != nil {
					t.Error(err)
					return
				}
				if before.Complete && i > 50 {
					return
				}
			}
		})
	}
	r, err := v.Wait()
	wg.Wait()
	if err != nil || !r.Prefix.Complete || r.Prefix != v.Prefix() {
		t.Fatalf("the result is %v, %v", r.Prefix, err)
	}
	for i := range seen[1:] {
		if len(seen[i+1].Events) >= len(seen[i].Events) {
			t.Fatalf("%v comes after %v", seen[i+1], seen[i])
		}
	}
	if len(seen) < 5 {
		t.Errorf("there were %d prefixes", len(seen))
	}
}

func TestBeginWithoutCorrect(t *testing.T) {
	if v, err := Begin(context.Background(), func() { panic("always") }, explored); err != ErrNoCorrectSchedule {
		t.Errorf("got %v, %v", v, err)
	}
}

// TestRunWhenRelaxed executes under each prefix as soon as the verifier has it, by the
// goroutine that verifies, in the middle of its search.
func TestRunWhenRelaxed(t *testing.T) {
	p, _ := paper.Named("micro")
	f := p.Make(2, 2)
	runs := 0
	o := Options{Sched: p.Options, Relaxed: func(p *Prefix) {
		if err := Run(p, f); err != nil {
			t.Fatal(err)
		}
		runs++
	}}
	r, err := Verify(context.Background(), f, o)
	if want, _ := p.Traces(2, 2); err != nil || r.Stats.Executions != want || runs < 5 {
		t.Errorf("%d executions, %d of them in parallel: %v", r.Stats.Executions, runs, err)
	}
}
