package native_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/native/access"
	twin "github.com/gopor/gopor/sched/std/maps"
)

// changing is a map that a loop over it changes.
type changing interface {
	set(k int)
	del(k int)
	clear()
}

// controlledMap is one as rewritten code has it, nativeMap one as it is, and specified one as the language has it.
type (
	controlledMap map[int]int
	nativeMap     map[int]int
	specified     struct {
		must, may map[int]bool // what a loop has to meet and what it may meet
	}
)

func (m controlledMap) set(k int) { access.InMap(m).Set(k, k) }
func (m controlledMap) del(k int) { access.InMap(m).Delete(k) }
func (m controlledMap) clear()    { access.ClearMap(m) }

func (m nativeMap) set(k int) { m[k] = k }
func (m nativeMap) del(k int) { delete(m, k) }
func (m nativeMap) clear()    { clear(m) }

// A specified map does not tell keys that were met, so what is there is asked of present.
type specifiedAt struct {
	*specified
	present map[int]bool
}

func (m specifiedAt) set(k int) {
	if !m.present[k] {
		m.present[k], m.may[k] = true, true
	}
}

func (m specifiedAt) del(k int) {
	delete(m.present, k)
	delete(m.must, k)
	delete(m.may, k)
}

func (m specifiedAt) clear() {
	for k := range m.present {
		m.del(k)
	}
}

// changes are made by the turns of a loop. A turn returns whether the loop goes on.
var changes = map[string]struct {
	keys  int // 1, 2, ... are there when the loop begins
	turn  func(m changing, n, k int) bool
	noted bool // something was made that the loop may meet
}{
	"nothing": {keys: 3, turn: func(changing, int, int) bool { return true }},
	"empty":   {keys: 0, turn: func(m changing, n, k int) bool { m.set(1); return true }},
	"one": {keys: 1, noted: true, turn: func(m changing, n, k int) bool {
		if k < 4 {
			m.set(k + 1)
		}
		return true
	}},
	"the last turn": {keys: 2, noted: true, turn: func(m changing, n, k int) bool {
		if n == 2 {
			m.set(3)
		}
		return true
	}},
	"two": {keys: 2, noted: true, turn: func(m changing, n, k int) bool { m.set(7); m.set(8); return true }},
	"others again": {keys: 3, noted: true, turn: func(m changing, n, k int) bool {
		for i := 1; i <= 3 && n == 1; i++ {
			if i != k {
				m.del(i)
				m.set(i)
			}
		}
		return true
	}},
	"itself again": {keys: 2, noted: true, turn: func(m changing, n, k int) bool {
		if m.del(k); n <= 2 {
			m.set(k)
		}
		return true
	}},
	"another key": {keys: 1, noted: true, turn: func(m changing, n, k int) bool {
		if m.del(k); k < 3 {
			m.set(k + 1)
		}
		return true
	}},
	"cleared": {keys: 2, turn: func(m changing, n, k int) bool { m.clear(); return true }},
	"cleared and filled": {keys: 2, noted: true, turn: func(m changing, n, k int) bool {
		if n == 1 {
			m.clear()
			m.set(1)
			m.set(3)
		}
		return true
	}},
	"deleted later": {keys: 2, noted: true, turn: func(m changing, n, k int) bool {
		if n == 1 {
			m.set(5)
		} else {
			m.del(5)
		}
		return true
	}},
	"made and deleted":  {keys: 2, turn: func(m changing, n, k int) bool { m.set(5); m.del(5); return true }},
	"there already":     {keys: 2, turn: func(m changing, n, k int) bool { m.set(1); m.set(2); return true }},
	"made when it ends": {keys: 2, turn: func(m changing, n, k int) bool { m.set(5); return n < 1 }},
	"deleted":           {keys: 3, turn: func(m changing, n, k int) bool { m.del(k%3 + 1); return true }},
}

// specifies adds all that a loop may meet, by the language, to found.
func specifies(m specifiedAt, met []int, turn func(m changing, n, k int) bool, found map[string]bool) {
	if len(m.must) == 0 {
		found[fmt.Sprint(met)] = true
	}
	for _, k := range slices.Concat(slices.Collect(maps.Keys(m.must)), slices.Collect(maps.Keys(m.may))) {
		next := specifiedAt{&specified{maps.Clone(m.must), maps.Clone(m.may)}, maps.Clone(m.present)}
		delete(next.must, k)
		delete(next.may, k)
		now := append(slices.Clone(met), k)
		if turn(next, len(now), k) {
			specifies(next, now, turn, found)
		} else {
			found[fmt.Sprint(now)] = true
		}
	}
}

// intLoops go over a map in all ways that are not over at once.
var intLoops = map[string]func(m map[int]int, yield func(int) bool){
	"range": func(m map[int]int, yield func(int) bool) {
		for r := native.Over(m); r.Next(); {
			for k, v := range r.Map() {
				if k != v {
					panic("another value")
				}
				if !yield(k) {
					return
				}
			}
		}
	},
	"range, alike": func(m map[int]int, yield func(int) bool) {
		for r := native.Over(m).Alike(); r.Next(); {
			for k := range r.Map() {
				if !yield(k) {
					return
				}
			}
		}
	},
	"maps.Keys":   func(m map[int]int, yield func(int) bool) { twin.Keys(m)(yield) },
	"maps.Values": func(m map[int]int, yield func(int) bool) { twin.Values(m)(yield) },
	"maps.All":    func(m map[int]int, yield func(int) bool) { twin.All(m)(func(k, _ int) bool { return yield(k) }) },
	"MapRange": func(m map[int]int, yield func(int) bool) {
		for i := native.Reflect(reflect.ValueOf(m)).MapRange(); native.Iterate(i).Next(); {
			if i.Key().Int() != i.Value().Int() {
				panic("another value")
			}
			if !yield(int(i.Key().Int())) {
				return
			}
		}
	},
	"Seq": func(m map[int]int, yield func(int) bool) {
		for k := range native.Reflect(reflect.ValueOf(m)).Seq() {
			if !yield(int(k.Int())) {
				return
			}
		}
	},
	"Seq2": func(m map[int]int, yield func(int) bool) {
		for k, v := range native.Reflect(reflect.ValueOf(m)).Seq2() {
			if k.Int() != v.Int() {
				panic("another value")
			}
			if !yield(int(k.Int())) {
				return
			}
		}
	},
}

// TestMapGrows has loops that change their maps: what a complete search finds is what the language allows, and what loops
// do natively is among it. By default one of these is performed, and what was made is noted.
func TestMapGrows(t *testing.T) {
	for what, c := range changes {
		want := map[string]bool{}
		all := map[int]bool{}
		for k := 1; k <= c.keys; k++ {
			all[k] = true
		}
		specifies(specifiedAt{&specified{maps.Clone(all), map[int]bool{}}, maps.Clone(all)}, nil, c.turn, want)
		for range 500 {
			m, met := nativeMap{}, []int(nil)
			for k := range all {
				m.set(k)
			}
			for k := range m {
				if met = append(met, k); !c.turn(m, len(met), k) {
					break
				}
			}
			if !want[fmt.Sprint(met)] {
				t.Errorf("%s: natively a loop meets %v, which is not allowed", what, met)
			}
		}
		for name, loop := range intLoops {
			f := func() string {
				m, met := controlledMap{}, []int(nil)
				for k := 1; k <= c.keys; k++ {
					m.set(k)
				}
				loop(m, func(k int) bool {
					met = append(met, k)
					return c.turn(m, len(met), k)
				})
				return fmt.Sprint(met)
			}
			got, assumed := outcomes(t, exec.Options{Maps: sched.MapExplore}, f)
			got = slices.Compact(got)   // orders that differ in what is deleted are the same
			if name == "range, alike" { // of which one order is enough
				if slices.ContainsFunc(got, func(x string) bool { return !want[x] }) {
					t.Errorf("%s, %s: got %v, want some of %v", name, what, got, slices.Sorted(maps.Keys(want)))
				}
			} else if !slices.Equal(got, slices.Sorted(maps.Keys(want))) || assumed != "" {
				t.Errorf("%s, %s: got %v, want %v, assumes %q", name, what, got, slices.Sorted(maps.Keys(want)), assumed)
			}
			usual, assumed := outcomes(t, exec.Options{}, f)
			noted := strings.Contains(assumed, "map order: an entry made during a range over a map[int]int\n")
			if len(usual) != 1 || !want[usual[0]] || noted != c.noted {
				t.Errorf("%s, %s: usually %v, of %v, assumes %q", name, what, usual, slices.Sorted(maps.Keys(want)), assumed)
			}
		}
	}
}

// TestMapMade makes entries in all ways that there are.
func TestMapMade(t *testing.T) {
	type key struct{ x any }
	one, none := key{1}, key{}
	const made = "map order: an entry made during a range over a map[native_test.key]int"
	for name, test := range map[string]struct {
		f        func(m map[key]int)
		explored bool // whether it is met is a choice
		noted    bool
	}{
		"Set":       {func(m map[key]int) { access.InMap(m).Set(one, 1) }, true, true},
		"Insert":    {func(m map[key]int) { access.InMap(m).Insert(one, 1) }, true, true},
		"InMapAt":   {func(m map[key]int) { access.InMapAt(&m).Insert(one, 1) }, true, true},
		"update":    {func(m map[key]int) { e := access.InMap(m).Key(one); e.Set(e.Get() + 1) }, true, true},
		"many":      {func(m map[key]int) { var w access.Writes; *access.InMap(m).LateSet(&w, one) = 1; w.Done() }, true, true},
		"a literal": {func(m map[key]int) { twin.Insert(m, maps.All(map[key]int{one: 1})) }, true, true},
		"Copy":      {func(m map[key]int) { twin.Copy(m, map[key]int{one: 1}) }, true, true},
		"SetMapIndex": {func(m map[key]int) {
			native.Reflect(reflect.ValueOf(m)).SetMapIndex(reflect.ValueOf(one), reflect.ValueOf(1))
		}, true, true},
		"another goroutine": {func(m map[key]int) { sched.Go(func() { access.InMap(m).Set(one, 1) }).Join() }, true, true},
		"WriteMap":          {func(m map[key]int) { access.WriteMap(m)[one] = 1 }, false, true},
		"StoresMap":         {func(m map[key]int) { access.StoresMap(reflect.ValueOf(m).UnsafePointer(), 1); m[one] = 1 }, false, true},
		"another map":       {func(m map[key]int) { access.InMap(map[key]int{}).Set(one, 1) }, false, false},
		"a copy":            {func(m map[key]int) { access.InMap(twin.Clone(m)).Set(one, 1) }, false, false},
		"SetMapIndex, old": {func(m map[key]int) {
			native.Reflect(reflect.ValueOf(m)).SetMapIndex(reflect.ValueOf(none), reflect.ValueOf(1))
		}, false, false},
		"SetMapIndex, none": {func(m map[key]int) {
			native.Reflect(reflect.ValueOf(m)).SetMapIndex(reflect.ValueOf(one), reflect.Value{})
		}, false, false},
		"unequal": {func(m map[key]int) {
			nan := 0.0
			access.InMap(m).Set(key{nan / nan}, 1)
		}, false, true},
	} {
		f := func() string {
			m, met := map[key]int{none: 0}, 0
			for r := native.Over(m); r.Next(); {
				for k := range r.Map() {
					if met++; k == none {
						test.f(m)
					}
				}
			}
			return fmt.Sprint(met)
		}
		usual, assumed := outcomes(t, exec.Options{}, f)
		if len(usual) != 1 || usual[0] != "1" || strings.Contains(assumed, made) != test.noted {
			t.Errorf("%s: usually %v, assumes %q", name, usual, assumed)
		}
		got, assumed := outcomes(t, exec.Options{Maps: sched.MapExplore}, f)
		if list := strings.Join(got, " "); list != "1 2" && test.explored || list != "1" && !test.explored || strings.Contains(assumed, made) != (test.noted && !test.explored) {
			t.Errorf("%s: explored %s, assumes %q", name, list, assumed)
		}
	}
}

// TestMapGrowsNested has two loops over one map, of which the inner one is left, or comes to its end, before the outer one
// makes an entry.
func TestMapGrowsNested(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		f := func() string {
			m, met := map[int]int{1: 1}, ""
			for r := native.Over(m); r.Next(); {
				for k := range r.Map() {
					met += fmt.Sprint(k)
					if k > 1 {
						continue
					}
					for s := native.Over(m); s.Next() && !leaves; {
					}
					access.InMap(m).Set(2, 2)
					for s := native.Over(m); s.Next(); { // which finds both there
						met += "."
					}
				}
			}
			return met
		}
		got, _ := outcomes(t, exec.Options{Maps: sched.MapExplore}, f)
		if got = slices.Compact(got); strings.Join(got, " ") != "1.. 1..2" {
			t.Errorf("left %v: got %v", leaves, got)
		}
		_, assumed := outcomes(t, exec.Options{}, f)
		if strings.Count(assumed, "an entry made during") != 1 {
			t.Errorf("left %v: assumes %q", leaves, assumed)
		}
	}
}

// TestMapGrowsWithin has a loop that makes an entry within one that has made another before it began.
func TestMapGrowsWithin(t *testing.T) {
	got, _ := outcomes(t, exec.Options{Maps: sched.MapExplore}, func() string {
		m, met := map[int]int{1: 1}, []int(nil)
		if r := native.Over(m); r.Next() {
			access.InMap(m).Set(2, 2)
			for s := native.Over(m); s.Next(); {
				for k := range s.Map() {
					met = append(met, k)
				}
				access.InMap(m).Set(3, 3)
			}
		}
		slices.Sort(met)
		return fmt.Sprint(met)
	})
	if list := fmt.Sprint(slices.Compact(got)); list != "[[1 2 3] [1 2]]" {
		t.Error(list)
	}
}

// TestMapGrowsMuch has a loop that would meet ever more.
func TestMapGrowsMuch(t *testing.T) {
	for want, f := range map[string]func(m map[int]int, k int){
		", after four others that are met": func(m map[int]int, k int) { access.InMap(m).Set(k+1, 1) },
		", of which four at a time are met": func(m map[int]int, k int) {
			for i := range 6 {
				access.InMap(m).Set(i, 1)
			}
		},
	} {
		longest := 0
		got, assumed := outcomes(t, exec.Options{Maps: sched.MapExplore}, func() string {
			m, met := map[int]int{0: 0}, []int(nil)
			for r := native.Over(m); r.Next(); {
				for k := range r.Map() {
					met = append(met, k)
					f(m, k)
				}
			}
			longest = max(longest, len(met))
			return fmt.Sprint(met)
		})
		if longest != 5 || len(got) < 5 || !strings.Contains(assumed, "map order: an entry made during a range over a map[int]int"+want) {
			t.Errorf("met %d at most, of %d, assumes %q", longest, len(got), assumed)
		}
	}
}
