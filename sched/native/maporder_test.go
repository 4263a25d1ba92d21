package native_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/native/access"
	twin "github.com/gopor/gopor/sched/std/maps"
	"github.com/gopor/gopor/sched/trace"
)

// outcomes returns what f returns in the executions of a complete search, sorted, and
// what that takes for granted.
func outcomes(t *testing.T, o exec.Options, f func() string) (ends []string, assumed string) {
	t.Helper()
	end := ""
	c := exec.New(func() { end = f() }, o)
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(x *trace.Execution) bool {
		for _, f := range x.Run.Outcome() {
			t.Error(f.Msg, f.Stack)
		}
		ends = append(ends, end)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ends)
	for _, a := range c.Assumptions() {
		if !strings.HasSuffix(a.File, "_test.go") {
			t.Errorf("%v has its place in %s", a, a.File)
		}
		assumed += a.Kind.String() + ": " + a.What + "\n"
	}
	return ends, assumed
}

// loops go over a map in all ways that there are.
var loops = map[string]func(m map[string]int, yield func(string)){
	"range": func(m map[string]int, yield func(string)) {
		for r := native.Over(m); r.Next(); {
			for k := range r.Map() {
				yield(k)
			}
		}
	},
	"maps.Keys": func(m map[string]int, yield func(string)) {
		for k := range twin.Keys(m) {
			yield(k)
		}
	},
	"maps.Values": func(m map[string]int, yield func(string)) {
		for v := range twin.Values(m) {
			yield(string(rune('a' + v)))
		}
	},
	"MapKeys": func(m map[string]int, yield func(string)) {
		for _, k := range native.Reflect(reflect.ValueOf(m)).MapKeys() {
			yield(k.String())
		}
	},
	"MapRange": func(m map[string]int, yield func(string)) {
		for i := native.Reflect(reflect.ValueOf(m)).MapRange(); native.Iterate(i).Next(); {
			if i.Value().Int() != int64(m[i.Key().String()]) {
				panic("another value")
			}
			yield(i.Key().String())
		}
	},
	"Reset": func(m map[string]int, yield func(string)) {
		var i reflect.MapIter
		native.Iterate(&i).Reset(reflect.ValueOf(m))
		for native.Iterate(&i).Next() {
			yield(i.Key().String())
		}
	},
	"Seq": func(m map[string]int, yield func(string)) {
		for k := range native.Reflect(reflect.ValueOf(m)).Seq() {
			yield(k.String())
		}
	},
	"Seq2": func(m map[string]int, yield func(string)) {
		for k := range native.Reflect(reflect.ValueOf(m)).Seq2() {
			yield(k.String())
		}
	},
}

// TestMapModes goes over maps in sorted order, which is noted, and in every order,
// which is not if there are few keys.
func TestMapModes(t *testing.T) {
	for name, loop := range loops {
		for n, want := range []string{"1", "1 a", "2 ab ba", "6 abc acb bac bca cab cba", "24", "3 abcde cdeab edcba"} {
			f := func() string {
				m := map[string]int{}
				for i := range n {
					m[string(rune('a'+i))] = i
				}
				text := ""
				loop(m, func(k string) { text += k })
				return text
			}
			sorted, assumed := outcomes(t, exec.Options{}, f)
			if len(sorted) != 1 || sorted[0] != "abcde"[:n] || strings.Contains(assumed, "map order: a range ") != (n > 1) {
				t.Errorf("%s of %d: %v, assumes %q", name, n, sorted, assumed)
			}
			explored, assumed := outcomes(t, exec.Options{Maps: sched.MapExplore}, f)
			got := strings.TrimSpace(fmt.Sprint(len(explored), " ", strings.Join(explored, " ")))
			if got != want && (n != 4 || len(slices.Compact(explored)) != 24) || strings.Contains(assumed, "three orders") != (n > 4) || n < 5 && assumed != "" {
				t.Errorf("%s of %d: %s, assumes %q", name, n, got, assumed)
			}
		}
	}
}

// TestUnequalKeys goes over maps with keys that do not equal themselves, which nothing finds or deletes but what goes
// over all keys, or clears the map.
func TestUnequalKeys(t *testing.T) {
	type key struct{ x any }
	for name, loop := range map[string]func(m map[key]int, yield func(k key, v int) bool){
		"range": func(m map[key]int, yield func(k key, v int) bool) {
			for r := native.Over(m); r.Next(); {
				for k, v := range r.Map() {
					if !yield(k, v) {
						return
					}
				}
			}
		},
		"maps.All":   func(m map[key]int, yield func(k key, v int) bool) { twin.All(m)(yield) },
		"maps.Clone": func(m map[key]int, yield func(k key, v int) bool) { twin.All(twin.Clone(m))(yield) },
		"MapRange": func(m map[key]int, yield func(k key, v int) bool) {
			for i := native.Reflect(reflect.ValueOf(m)).MapRange(); native.Iterate(i).Next(); {
				if !yield(i.Key().Interface().(key), int(i.Value().Int())) {
					return
				}
			}
		},
		"Seq2": func(m map[key]int, yield func(k key, v int) bool) {
			for k, v := range native.Reflect(reflect.ValueOf(m)).Seq2() {
				if !yield(k.Interface().(key), int(v.Int())) {
					return
				}
			}
		},
		"MapKeys and Seq": func(m map[key]int, yield func(k key, v int) bool) {
			keys := native.Reflect(reflect.ValueOf(m)).MapKeys()
			for k := range native.Reflect(reflect.ValueOf(m)).Seq() {
				k := k.Interface().(key)
				v := m[k]
				if k != k {
					v = 1 + len(keys) // which has them, too
				}
				if !yield(k, v) {
					return
				}
			}
		},
	} {
		f := func() string {
			m := map[key]int{{math.NaN()}: 4, {math.NaN()}: 4, {"b"}: 2}
			sum, n := 0, 0
			loop(m, func(k key, v int) bool {
				sum += v
				return true
			})
			loop(m, func(k key, v int) bool {
				n++
				clear(m)
				return true
			})
			return fmt.Sprint(sum, " ", n)
		}
		want := "10 1"
		if name == "maps.Clone" {
			want = "10 3"
		}
		for _, o := range []exec.Options{{}, {Maps: sched.MapExplore}} {
			got, _ := outcomes(t, o, f)
			if got = slices.Compact(got); len(got) != 1 || got[0] != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// TestMapsOutside has the twin do what its original does.
func TestMapsOutside(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	var none map[string]int
	c := twin.Clone(m)
	twin.Copy(c, map[string]int{"c": 3})
	twin.Insert(c, maps.All(map[string]int{"d": 4}))
	twin.DeleteFunc(c, func(k string, _ int) bool { return k == "a" })
	if want := (map[string]int{"b": 2, "c": 3, "d": 4}); !twin.Equal(c, want) || !maps.Equal(c, want) || twin.Equal(c, m) {
		t.Error(c)
	}
	if twin.Clone(none) != nil || !maps.Equal(twin.Collect(twin.All(m)), m) || len(slices.Collect(twin.Values(m))) != 2 {
		t.Error("Clone, Collect or Values")
	}
	if !twin.EqualFunc(m, m, func(a, b int) bool { return a == b }) || twin.EqualFunc(m, m, func(a, b int) bool { return a < b }) {
		t.Error("EqualFunc")
	}
	all(t, "map[b:2 c:3] true", func() string { // and under control
		c := twin.Clone(m)
		twin.Copy(c, map[string]int{"c": 3})
		twin.DeleteFunc(c, func(k string, _ int) bool { return k == "a" })
		return fmt.Sprint(c, " ", twin.Clone(none) == nil)
	})
}

// TestInsertion has keys that look alike, which come in the order of insertion.
func TestInsertion(t *testing.T) {
	type blank struct{ _ chan int }
	type key struct {
		n int
		p *blank
	}
	order := func(m map[key]int, all iter.Seq2[key, int]) (list []int) {
		for _, v := range all {
			list = append(list, v)
		}
		return list
	}
	ends, assumed := outcomes(t, exec.Options{}, func() string {
		m := map[key]int{}
		keys := make([]key, 9)
		for i := range keys {
			keys[i] = key{i / 5, new(blank)}
		}
		for _, i := range []int{3, 1, 2, 8, 5, 1} {
			access.InMap(m).Insert(keys[i], i)
		}
		delete(m, keys[1])
		sched.Choose(20)
		text := fmt.Sprint(order(m, twin.All(m)))
		for _, k := range native.Reflect(reflect.ValueOf(m)).MapKeys() {
			text += fmt.Sprint(m[k.Interface().(key)])
		}
		return text + fmt.Sprint(order(m, twin.All(twin.Clone(m))))
	})
	if len(ends) != 20 || ends[0] != ends[19] || ends[0] != "[3 2 8 5]3285[3 2 8 5]" || strings.Contains(assumed, "address") {
		t.Errorf("%v, assumes %q", slices.Compact(ends), assumed)
	}
	_, assumed = outcomes(t, exec.Options{}, func() string {
		m := map[*blank]int{{}: 1, {}: 2}
		for r := native.Over(m); r.Next(); {
		}
		return ""
	})
	if want := "source: the addresses of keys that look alike\nmap order: a range over a map[*native_test.blank]int\n"; assumed != want {
		t.Errorf("assumes %q, not %q", assumed, want)
	}
}

// TestInsertionOfGoroutines inserts on several goroutines, in turn and at the same time
// into maps of their own: all executions of a trace have the same order.
func TestInsertionOfGoroutines(t *testing.T) {
	found := map[string]bool{}
	ends, _ := outcomes(t, exec.Options{}, func() string {
		var mu sched.Mutex
		shared, text := map[*int]int{}, ""
		keys := []*int{new(int), new(int)}
		var done []sched.Handle
		for i := range 2 {
			done = append(done, sched.Go(func() {
				own := map[*int]int{}
				access.InMap(own).Insert(keys[1-i], i)
				mu.Lock()
				access.InMap(shared).Insert(keys[i], i)
				text += fmt.Sprint(i)
				mu.Unlock()
			}))
		}
		for _, h := range done {
			h.Join()
		}
		for v := range twin.Values(shared) {
			text += fmt.Sprint(v)
		}
		return text
	})
	for _, end := range ends {
		found[end] = true
	}
	if len(found) != 2 || !found["0101"] || !found["1010"] {
		t.Error(found)
	}
}
