package exec

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

type (
	keyName string
	twoHalf struct{ a, b int32 }
	bytes8  [8]byte
)

// TestSame changes maps of many types, and puts entries back. Each is compared by its own code, where
// there is some, and by package reflect.
func TestSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	one, two := new(int), new(int)
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []bool{true, false})
	sameAs(t, r, true, func(i int) keyName { return keyName(fmt.Sprint("long enough for another hash ", i)) }, []*int{one, two, nil})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []any{1, "a", one, nil})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []string{"a", "b"})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []struct{}{{}})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []twoHalf{{1, 2}, {2, 1}})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, []bytes8{{1}, {7: 1}})
	sameAs(t, r, true, func(i int) string { return fmt.Sprint(i) }, [][4]uintptr{{1, 2, 3, 4}, {1, 2, 3, 5}})
	sameAs(t, r, true, func(i int) int { return i - 50 }, [][3]uintptr{{1, 2, 3}, {1, 2, 4}})
	sameAs(t, r, true, func(i int) uintptr { return uintptr(i) << 20 }, []error{nil, fmt.Errorf("")})
	sameAs(t, r, true, func(i int) *int { return &somewhere[i] }, []bool{true, false})
	sameAs(t, r, true, func(i int) chan int { return channels[i] }, []*int{one, two})
	sameAs(t, r, false, func(i int) float64 { return float64(i) }, []bool{true, false})
	sameAs(t, r, false, func(i int) any { return i }, []*int{one, two})
	sameAs(t, r, false, func(i int) bool { return i%2 == 0 }, []uintptr{1, 2})
	sameAs(t, r, false, func(i int) string { return fmt.Sprint(i) }, []int16{1, 2})
	sameAs(t, r, false, func(i int) string { return fmt.Sprint(i) }, [][20]uintptr{{}, {19: 1}})
}

var (
	somewhere [2000]int
	channels  = func() (all [2000]chan int) {
		for i := range all {
			all[i] = make(chan int)
		}
		return
	}()
)

func sameAs[K, V comparable](t *testing.T, r *rand.Rand, fast bool, key func(int) K, values []V) {
	changed := 0
	for round := range 300 {
		m, n := make(map[K]V), []int{1, 3, 8, 9, 200, 1900}[round%6]
		for i := range n {
			m[key(i)] = values[r.IntN(len(values))]
		}
		k := &keeper{known: make(map[reached]bool), types: make(map[reflect.Type]*typeFacts), room: mostKept, isHot: make(map[int]bool)}
		k.keepMap(reflect.ValueOf(m))
		own := &k.maps[0]
		if (own.same != nil) != fast {
			t.Fatalf("%T: compared by its own code: %v, want %v", m, own.same != nil, fast)
		}
		slow := *own
		slow.same = nil
		for range 4 {
			x := key(r.IntN(n))
			was := m[x]
			switch r.IntN(5) {
			case 0:
				m[x] = values[r.IntN(len(values))]
			case 1:
				delete(m, x)
			case 2:
				delete(m, x)
				m[key(n)] = was
			case 3:
				m[x] = values[r.IntN(len(values))]
				m[x] = was
			}
			if a, b := own.changed(), slow.changed(); a != b {
				t.Fatalf("%T of %d entries: changed: %v, by package reflect %v", m, n, a, b)
			} else if a {
				changed++
			}
			if r.IntN(2) == 0 {
				own.restore()
				if own.changed() || slow.changed() {
					t.Fatalf("%T of %d entries is not put back", m, n)
				}
			}
		}
	}
	if changed < 100 {
		t.Errorf("%T, %T: only %d changes", *new(K), *new(V), changed)
	}
}

// BenchmarkSame compares a map of 200 entries.
func BenchmarkSame(b *testing.B) {
	m := make(map[string]*int)
	for i := range 200 {
		m[fmt.Sprint("key number ", i)] = new(int)
	}
	k := &keeper{known: make(map[reached]bool), types: make(map[reflect.Type]*typeFacts), room: mostKept, isHot: make(map[int]bool)}
	k.keepMap(reflect.ValueOf(m))
	for _, own := range []bool{true, false} {
		b.Run(map[bool]string{true: "own", false: "reflect"}[own], func(b *testing.B) {
			kept := k.maps[0]
			if !own {
				kept.same = nil
			}
			for b.Loop() {
				if kept.changed() {
					b.Fatal("the map has changed")
				}
			}
		})
	}
}
