package irs

import (
	"testing"

	"github.com/gopor/gopor/sched"
)

// BenchmarkRun executes programs without constraints.
func BenchmarkRun(b *testing.B) {
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"nothing", func() {}},
		{"100 events", func() {
			var n sched.Int64
			for range 100 {
				n.Add(1)
			}
		}},
		{"2 goroutines", func() {
			var n sched.Int64
			both(func() { n.Add(1) }, func() { n.Add(1) })
		}},
	} {
		b.Run(k.name, func(b *testing.B) {
			p, _ := admissible(b, k.f, explored)
			b.ReportAllocs()
			for b.Loop() {
				if err := Run(p, k.f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
