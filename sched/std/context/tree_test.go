package context_test

import (
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/context"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
)

// TestTree cancels a tree of contexts step by step, and the contexts that code
// outside of control sees with it.
func TestTree(t *testing.T) {
	see := func(cs ...context.Context) (text string) {
		for _, c := range cs {
			if c.Err() == nil {
				text += "-"
			} else {
				text += "x"
			}
		}
		return text
	}
	found := stdtest.Explore(t, func() string {
		root, cancel := context.WithCancel(context.Background())
		a, _ := context.WithCancel(root)
		b, leave := context.WithTimeout(root, 1<<40)
		defer leave()
		sched.Go(cancel)
		return see(root, a, b, root)
	})
	if want := "---- | ---x | --xx | -x-x | -xxx | x--x | x-xx | xx-x | xxxx"; found.Outcomes != want || found.Failures != "" {
		t.Errorf("got %+v, want %s", found, want)
	}
	found = stdtest.Explore(t, func() string {
		root, cancel := context.WithCancel(context.Background())
		a, _ := context.WithCancel(root)
		b, _ := context.WithCancel(a)
		select {
		case <-b.Done():
			return "done too early"
		default:
		}
		cancel()
		<-b.Done() // outside of control
		return see(root, a, b)
	})
	if found.Outcomes != "xxx" || found.Failures != "" {
		t.Errorf("got %+v", found)
	}
}
