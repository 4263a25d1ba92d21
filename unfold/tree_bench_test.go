package unfold

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// twoThreads returns a structure in which two threads have done so many events each,
// independently of each other.
func twoThreads(step, depth int) (s *structure, a, b configuration) {
	s = newStructure(step)
	line := func(g, obj int32) configuration {
		h := make(configuration, s.width)
		for range depth {
			e, _ := s.find(g, 0, h)
			s.touch(e, s.objects.usesOf([]trace.Access{{Obj: obj, Mode: trace.ModeWrite}}))
			h[g] = e
		}
		return h
	}
	return s, line(0, 0), line(1, 2)
}

// BenchmarkRelations measures how long queries take that go over so many events, with
// skips of several steps, 1 being none.
func BenchmarkRelations(b *testing.B) {
	for _, step := range []int{1, 2, 4, 8} {
		for _, depth := range []int{1, 3, 15, 255, 4095, 65535} {
			s, x, y := twoThreads(step, depth)
			name := fmt.Sprintf("step=%d/depth=%d", step, depth)
			first := s.walk(x[0], 1, nil)
			b.Run("causality/"+name, func(b *testing.B) {
				for b.Loop() {
					if !s.includes(x, first) {
						b.Fatal("the first event does not come before the last")
					}
				}
			})
			b.Run("conflict/"+name, func(b *testing.B) {
				for b.Loop() {
					if s.conflict(x, y) {
						b.Fatal("what is independent is in conflict")
					}
				}
			})
		}
	}
}

// BenchmarkFind measures what it takes to find an event by its canonical name.
func BenchmarkFind(b *testing.B) {
	for _, goroutines := range []int{4, 16, 64} {
		s := newStructure(defaultStep)
		s.widen(goroutines)
		h := make(configuration, s.width)
		for g := range int32(goroutines) {
			e, _ := s.find(g, 0, h)
			s.touch(e, s.objects.usesOf([]trace.Access{{Obj: 2 * g, Mode: trace.ModeWrite}}))
			h[g] = e
		}
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			s.find(0, 0, h)
			for b.Loop() {
				s.find(0, 0, h)
			}
		})
	}
}
