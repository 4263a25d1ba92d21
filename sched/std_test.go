package sched_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// The types that have a counterpart in the standard library.
var counterparts = []struct{ std, ours any }{
	{new(atomic.Int32), new(sched.Int32)},
	{new(atomic.Int64), new(sched.Int64)},
	{new(atomic.Uint32), new(sched.Uint32)},
	{new(atomic.Uint64), new(sched.Uint64)},
	{new(atomic.Uintptr), new(sched.Uintptr)},
	{new(atomic.Bool), new(sched.Bool)},
	{new(atomic.Pointer[int]), new(sched.Pointer[int])},
	{new(atomic.Value), new(sched.Value)},
	{new(sync.Map), new(sched.Map)},
	{new(sync.Mutex), new(sched.Mutex)},
	{new(sync.RWMutex), new(sched.RWMutex)},
	{new(sync.WaitGroup), new(sched.WaitGroup)},
	{new(sync.Once), new(sched.Once)},
	{new(sync.Cond), new(sched.Cond)},
	{new(sync.Pool), new(sched.Pool)},
	{new(time.Timer), new(sched.Timer)},
	{new(time.Ticker), new(sched.Ticker)},
}

// signature is the type of a method with the receiver and the packages left out.
func signature(m reflect.Method) string {
	text := m.Type.String()
	text = text[strings.IndexAny(text, ",)"):]
	for _, pkg := range []string{"sync.", "sched.", "time."} {
		text = strings.ReplaceAll(text, pkg, "")
	}
	return text
}

func TestSameMethods(t *testing.T) {
	for _, pair := range counterparts {
		std, ours := reflect.TypeOf(pair.std), reflect.TypeOf(pair.ours)
		for i := range std.NumMethod() {
			want := std.Method(i)
			got, ok := ours.MethodByName(want.Name)
			if !ok || signature(got) != signature(want) {
				t.Errorf("%v.%s: have %v, want %v", ours, want.Name, got.Type, want.Type)
			}
		}
		if ours.NumMethod() != std.NumMethod() {
			t.Errorf("%v has %d methods, %v has %d", ours, ours.NumMethod(), std, std.NumMethod())
		}
	}
}

var numbers = []int64{0, 1, -1, 2, 5, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64, math.MaxUint32}

var places [3]int

type odd struct{ v any }

var values = []any{nil, 0, 1, 2, "a", "b", 1.5, math.NaN(), []int{1}, odd{1}, odd{[]int{1}}, &places[0]}

// argument returns a random argument of type typ.
func argument(r *rand.Rand, typ reflect.Type) reflect.Value {
	switch typ.Kind() {
	case reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return reflect.ValueOf(numbers[r.IntN(len(numbers))]).Convert(typ)
	case reflect.Bool:
		return reflect.ValueOf(r.IntN(2) == 0)
	case reflect.Pointer:
		if k := r.IntN(len(places) + 1); k > 0 {
			return reflect.ValueOf(&places[k-1])
		}
		return reflect.Zero(typ)
	case reflect.UnsafePointer:
		if k := r.IntN(len(places) + 1); k > 0 {
			return reflect.ValueOf(unsafe.Pointer(&places[k-1]))
		}
		return reflect.Zero(typ)
	case reflect.Interface:
		if v := values[r.IntN(len(values))]; v != nil {
			return reflect.ValueOf(&v).Elem()
		}
		return reflect.Zero(typ)
	}
	panic(fmt.Sprint("no argument of type ", typ))
}

// resultsOf calls f and returns its results, or what it panics with, as text.
func resultsOf(f reflect.Value, args []reflect.Value) string {
	return closures.Caught(func() string {
		text := ""
		for _, r := range f.Call(args) {
			text += fmt.Sprintf("%v;", r.Interface())
		}
		return text
	})
}

// TestSameResults calls the methods of both libraries' types in random order
// with random arguments.
func TestSameResults(t *testing.T) {
	effort.Computes(t)
	for _, pair := range counterparts[:9] {
		typ := reflect.TypeOf(pair.std)
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for range 200 {
				std, ours := reflect.New(typ.Elem()), reflect.New(reflect.TypeOf(pair.ours).Elem())
				closures.Alone(t, func() string { compareCalls(t, r, std, ours); return "" })
				if t.Failed() {
					return
				}
			}
		})
	}
}

func compareCalls(t *testing.T, r *rand.Rand, std, ours reflect.Value) {
	trail := ""
	for range 20 {
		m := std.Type().Method(r.IntN(std.NumMethod()))
		a, b := std.MethodByName(m.Name), ours.MethodByName(m.Name)
		var want, got string
		var args []reflect.Value
		if m.Name == "Range" {
			want, got = rangeOver(a), rangeOver(b)
		} else {
			for i := range a.Type().NumIn() {
				args = append(args, argument(r, a.Type().In(i)))
			}
			want, got = resultsOf(a, args), resultsOf(b, args)
		}
		trail += fmt.Sprintf(" %s%v", m.Name, args)
		if got != want {
			t.Fatalf("%s: got %q, want %q", trail, got, want)
		}
		if strings.HasPrefix(want, "runtime panic") {
			return // sync.Map may have kept a lock
		}
	}
}

func rangeOver(method reflect.Value) string {
	var seen []string
	method.Call([]reflect.Value{reflect.ValueOf(func(k, v any) bool {
		seen = append(seen, fmt.Sprint(k, "=", v))
		return true
	})})
	sort.Strings(seen)
	return fmt.Sprint(seen)
}

// atomicFuncs are the functions of both libraries, by name.
var atomicFuncs = map[string][2]any{
	"AddInt32": {atomic.AddInt32, hook.Add[int32]}, "AddInt64": {atomic.AddInt64, hook.Add[int64]},
	"AddUint32": {atomic.AddUint32, hook.Add[uint32]}, "AddUint64": {atomic.AddUint64, hook.Add[uint64]},
	"AddUintptr": {atomic.AddUintptr, hook.Add[uintptr]},
	"AndInt32":   {atomic.AndInt32, hook.And[int32]}, "AndInt64": {atomic.AndInt64, hook.And[int64]},
	"AndUint32": {atomic.AndUint32, hook.And[uint32]}, "AndUint64": {atomic.AndUint64, hook.And[uint64]},
	"AndUintptr": {atomic.AndUintptr, hook.And[uintptr]},
	"OrInt32":    {atomic.OrInt32, hook.Or[int32]}, "OrInt64": {atomic.OrInt64, hook.Or[int64]},
	"OrUint32": {atomic.OrUint32, hook.Or[uint32]}, "OrUint64": {atomic.OrUint64, hook.Or[uint64]},
	"OrUintptr": {atomic.OrUintptr, hook.Or[uintptr]},
	"LoadInt32": {atomic.LoadInt32, hook.Load[int32]}, "LoadInt64": {atomic.LoadInt64, hook.Load[int64]},
	"LoadUint32": {atomic.LoadUint32, hook.Load[uint32]}, "LoadUint64": {atomic.LoadUint64, hook.Load[uint64]},
	"LoadUintptr": {atomic.LoadUintptr, hook.Load[uintptr]}, "LoadPointer": {atomic.LoadPointer, hook.LoadPointer},
	"StoreInt32": {atomic.StoreInt32, hook.Store[int32]}, "StoreInt64": {atomic.StoreInt64, hook.Store[int64]},
	"StoreUint32": {atomic.StoreUint32, hook.Store[uint32]}, "StoreUint64": {atomic.StoreUint64, hook.Store[uint64]},
	"StoreUintptr": {atomic.StoreUintptr, hook.Store[uintptr]}, "StorePointer": {atomic.StorePointer, hook.StorePointer},
	"SwapInt32": {atomic.SwapInt32, hook.Swap[int32]}, "SwapInt64": {atomic.SwapInt64, hook.Swap[int64]},
	"SwapUint32": {atomic.SwapUint32, hook.Swap[uint32]}, "SwapUint64": {atomic.SwapUint64, hook.Swap[uint64]},
	"SwapUintptr": {atomic.SwapUintptr, hook.Swap[uintptr]}, "SwapPointer": {atomic.SwapPointer, hook.SwapPointer},
	"CompareAndSwapInt32":   {atomic.CompareAndSwapInt32, hook.CompareAndSwap[int32]},
	"CompareAndSwapInt64":   {atomic.CompareAndSwapInt64, hook.CompareAndSwap[int64]},
	"CompareAndSwapUint32":  {atomic.CompareAndSwapUint32, hook.CompareAndSwap[uint32]},
	"CompareAndSwapUint64":  {atomic.CompareAndSwapUint64, hook.CompareAndSwap[uint64]},
	"CompareAndSwapUintptr": {atomic.CompareAndSwapUintptr, hook.CompareAndSwap[uintptr]},
	"CompareAndSwapPointer": {atomic.CompareAndSwapPointer, hook.CompareAndSwapPointer},
}

// TestAtomicComplete compares with the source of package sync/atomic.
func TestAtomicComplete(t *testing.T) {
	dir := filepath.Join(build.Default.GOROOT, "src", "sync", "atomic")
	//lint:ignore SA1019 the constraints of the files make no difference to their exported names
	pkgs, err := parser.ParseDir(token.NewFileSet(), dir, func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, 0)
	if err != nil {
		t.Skip(err)
	}
	types := map[string]bool{}
	for _, pair := range counterparts {
		name, _, _ := strings.Cut(reflect.TypeOf(pair.ours).Elem().Name(), "[")
		types[name] = true
	}
	ast.Inspect(pkgs["atomic"], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if _, ok := atomicFuncs[n.Name.Name]; n.Recv == nil && n.Name.IsExported() && !ok {
				t.Errorf("no function %s", n.Name.Name)
			}
		case *ast.TypeSpec:
			if n.Name.IsExported() && !types[n.Name.Name] {
				t.Errorf("no type %s", n.Name.Name)
			}
		}
		return true
	})
}

func TestAtomicFunctions(t *testing.T) {
	byType := map[reflect.Type][]string{}
	for name, f := range atomicFuncs {
		typ := reflect.TypeOf(f[0]).In(0)
		if reflect.TypeOf(f[0]) != reflect.TypeOf(f[1]) {
			t.Errorf("%s: %T, want %T", name, f[1], f[0])
		}
		byType[typ] = append(byType[typ], name)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for typ, names := range byType {
		sort.Strings(names)
		closures.Alone(t, func() string {
			std, ours := reflect.New(typ.Elem()), reflect.New(typ.Elem())
			for range 500 {
				name := names[r.IntN(len(names))]
				a, b := reflect.ValueOf(atomicFuncs[name][0]), reflect.ValueOf(atomicFuncs[name][1])
				var args []reflect.Value
				for i := range a.Type().NumIn() - 1 {
					args = append(args, argument(r, a.Type().In(i+1)))
				}
				want := resultsOf(a, append([]reflect.Value{std}, args...))
				got := resultsOf(b, append([]reflect.Value{ours}, args...))
				if got != want || std.Elem().Interface() != ours.Elem().Interface() {
					t.Fatalf("%s%v: got %s, want %s; memory %v, want %v", name, args, got, want, ours.Elem(), std.Elem())
				}
			}
			return ""
		})
	}
	got := closures.Alone(t, func() string { hook.Add[int32](nil, 1); return "" })
	if !strings.Contains(got, "nil pointer dereference") {
		t.Errorf("AddInt32(nil, 1): %s", got)
	}
}

// TestZeroEachTime uses variables that outlive the execution.
func TestZeroEachTime(t *testing.T) {
	var n sched.Int64
	var p sched.Pointer[int]
	var v sched.Value
	var m sched.Map
	var pool sched.Pool
	found := closures.Exact(t, exec.Options{}, func() string {
		sched.Go(func() { n.Add(1) })
		text := fmt.Sprint(n.Add(1) > 2, p.Swap(new(int)) == nil, v.Swap(1), pool.Get())
		pool.Put(1)
		_, loaded := m.LoadOrStore(1, 1)
		return fmt.Sprint(text, loaded)
	})
	if want := "false true <nil> <nil>false"; found.List() != want {
		t.Errorf("got %s, want %s", found.List(), want)
	}
}

func TestMapOrder(t *testing.T) {
	// The order must not depend on who came first, as no event tells.
	found := closures.Outcomes(t, exec.Options{}, func() string {
		var m sched.Map
		var wg sched.WaitGroup
		for i := range 3 {
			wg.Go(func() { m.Store(2*i, 0); m.Store(2*i+1, 0) })
		}
		wg.Wait()
		return ranged(&m)
	})
	if want := "0 0;1 0;2 0;3 0;4 0;5 0;"; found.List() != want || found.Traces != 1 {
		t.Errorf("%d traces: %s, want one: %s", found.Traces, found.List(), want)
	}
}

func TestMapRangeStops(t *testing.T) {
	got := closures.Alone(t, func() string {
		var m sched.Map
		for i := range 5 {
			m.Store(i, i)
		}
		n := 0
		m.Range(func(k, v any) bool { n++; m.Delete(4); return k.(int) < 2 })
		m.Clear()
		return fmt.Sprint(n, ranged(&m))
	})
	if got != "3" {
		t.Errorf("got %q", got)
	}
}

func TestPool(t *testing.T) {
	got := closures.Alone(t, func() string {
		n := 0
		p := sched.Pool{New: func() any { n++; return -n }}
		p.Put(nil)
		a := p.Get()
		p.Put(1)
		p.Put(2)
		b, c, d := p.Get(), p.Get(), p.Get()
		var empty sched.Pool
		return fmt.Sprint(a, b, c, d, empty.Get())
	})
	if want := "-1 2 1 -2 <nil>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func ranged(m *sched.Map) string {
	text := ""
	m.Range(func(k, v any) bool { text += fmt.Sprint(k, v, ";"); return true })
	return text
}
