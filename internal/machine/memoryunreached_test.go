package machine

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/gopor/gopor/internal/test/effort"
)

// surveyed makes a survey, if the execution has accessed memory.
func surveyed(m *Machine) {
	if m.Memory.Shadow.pages.Epoch == m.Epoch {
		m.Survey()
	}
}

// TestSurvey has goroutine 0 write many objects, of which some stay in use. After a survey goroutine
// 1 writes new objects, some of them in the memory of those that are gone. These do not race, and
// all that have stayed do.
func TestSurvey(t *testing.T) {
	effort.Computes(t)
	for _, size := range []int{8, 48, 1000, pageSize + 8, 3 * pageSize} {
		n := min(20_000, 4<<20/size)
		m := withGoroutines(1)
		first, second := m.Goroutines[0], m.Goroutines[1]
		stay, was := writeMany(m, size, n)
		m.Survey()
		if kept := m.Memory.Shadow.kept; kept > (2*spanObjects*(size/pageSize+2)+pageObjects)*len(stay) {
			t.Errorf("%d bytes: %d of %d objects are kept, where %d have stayed", size, kept, n, len(stay))
		}
		if n := len(m.Memory.Shadow.epochs); n > 2 {
			t.Errorf("%d bytes: one epoch has become %d", size, n-1)
		}
		if m.Memory.Shadow.Crowded() {
			t.Errorf("%d bytes: the next survey is due at once", size)
		}
		again := 0
		for range n {
			x := make([]byte, size)
			if was[uintptr(unsafe.Pointer(&x[0]))] {
				again++
			}
			if _, raced := m.findRace(second, unsafe.Pointer(&x[0]), uintptr(size), PlainWrite, 0); raced {
				t.Fatalf("%d bytes: a new object races with one that is gone", size)
			}
		}
		if again == 0 {
			t.Errorf("%d bytes: no memory was used again, which says nothing", size)
		}
		for i, x := range stay {
			if _, raced := m.findRace(second, unsafe.Pointer(&x[size-1]), 1, PlainRead, 0); !raced {
				t.Fatalf("%d bytes: object %d has stayed, and its race is not found", size, i)
			}
			if _, raced := m.findRace(first, unsafe.Pointer(&x[0]), 1, PlainRead, 0); raced {
				t.Fatalf("%d bytes: object %d races with its own goroutine", size, i)
			}
		}
		runtime.KeepAlive(stay)
	}
}

// writeMany has goroutine 0 write n objects. It returns every hundredth, and where all have been.
func writeMany(m *Machine, size, n int) (stay [][]byte, was map[uintptr]bool) {
	was = make(map[uintptr]bool)
	for i := range n {
		x := make([]byte, size)
		m.findRace(m.Goroutines[0], unsafe.Pointer(&x[0]), uintptr(size), PlainWrite, 0)
		if i%100 == 0 {
			stay = append(stay, x)
		}
		was[uintptr(unsafe.Pointer(&x[0]))] = true
	}
	return stay, was
}

// TestSurveyKeepsAlive: an object that a survey has found in use stays alive until the next survey.
func TestSurveyKeepsAlive(t *testing.T) {
	for _, size := range []int{64, 2 * pageSize} {
		m := withGoroutines(1)
		all := surveyedInUse(m, size)
		if n := alive(all); n != len(all) {
			t.Errorf("%d of %d objects of %d bytes are alive after a survey that has found them in use", n, len(all), size)
		}
		m.Survey()
		if n := alive(all); n > 1 {
			t.Errorf("%d of %d objects of %d bytes are alive after a survey", n, len(all), size)
		}
		runtime.KeepAlive(m)
	}
}

// surveyedInUse accesses some objects, and makes a survey while they are in use.
func surveyedInUse(m *Machine, size int) (all []weak.Pointer[byte]) {
	var use [][]byte
	for range 20 {
		x := make([]byte, size)
		m.findRace(m.Goroutines[0], unsafe.Pointer(&x[0]), uintptr(size), PlainWrite, 0)
		use, all = append(use, x), append(all, weak.Make(&x[0]))
	}
	m.Survey()
	runtime.KeepAlive(use)
	return all
}

// TestSurveyEpochs has more epochs than there are numbers for, but not at any one time. Each
// survey has given back the numbers of objects that are gone.
func TestSurveyEpochs(t *testing.T) {
	effort.Computes(t)
	m := withGoroutines(1)
	s := &m.Memory.Shadow
	s.limit = 1000
	for range 10 {
		for range 900 {
			m.findRace(m.Goroutines[0], unsafe.Pointer(new(int64)), 8, PlainWrite, 0)
			m.Memory.Races.publish(m.Goroutines[0])
		}
		m.Survey()
	}
	if len(s.spilled) != 0 || len(s.epochs) > 100 {
		t.Errorf("%d words are in lists for lack of numbers, and there are %d epochs", len(s.spilled), len(s.epochs))
	}
}

// TestCrowded lets the objects that accesses keep alive become many.
func TestCrowded(t *testing.T) {
	effort.Computes(t)
	m := withGoroutines(1)
	for i := range 2*firstSurvey + 2 {
		if m.Memory.Shadow.Crowded() {
			if i < firstSurvey/2 {
				t.Error("a survey is due after objects:", i)
			}
			return
		}
		m.findRace(m.Goroutines[0], unsafe.Pointer(new([2]int64)), 8, PlainWrite, 0)
	}
	t.Error("no survey is due")
}
