package stack

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dump = `goroutine 7 gp=0xc000 m=3 mp=0x0 [chan receive, 3 minutes]:
example.org/bank.(*Account).Withdraw(...)
	/home/me/bank/account.go:12
example.org/bank.Get[...](0x1)
	C:/bank/get.go:7 +0x2
...additional frames elided...
created by iter.Pull[...] in goroutine 6
	/go/src/iter/iter.go:271 +0x90

goroutine 6 [running]:
main.main()
	/x/main.go:3 +0x1

SIGQUIT: quit
`

func TestParse(t *testing.T) {
	want := []Goroutine{
		{7, 6, "chan receive, 3 minutes", []Frame{
			{Function: "example.org/bank.(*Account).Withdraw", File: "/home/me/bank/account.go", Line: 12},
			{Function: "example.org/bank.Get[...]", File: "C:/bank/get.go", Line: 7},
			{Function: "iter.Pull[...]", File: "/go/src/iter/iter.go", Line: 271, Created: true},
		}},
		{6, 0, "running", []Frame{{Function: "main.main", File: "/x/main.go", Line: 3}}},
	}
	got := Parse(dump)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if w := []string{got[0].Waits(), got[1].Waits()}; w[0] != "chan receive" || w[1] != "running" {
		t.Errorf("they wait for %q", w)
	}
	for _, test := range []struct {
		id, ancestor uint64
		want         bool
	}{{7, 7, true}, {7, 6, true}, {6, 7, false}, {7, 5, false}} {
		if Descends(got, test.id, test.ancestor) != test.want {
			t.Errorf("goroutine %d descends from %d: want %v", test.id, test.ancestor, test.want)
		}
	}
}

// in returns the calling goroutine, as All has it.
func in(t *testing.T) Goroutine {
	id := Current()
	for _, g := range All() {
		if g.ID == id {
			return g
		}
	}
	t.Fatalf("goroutine %d is not among all", id)
	return Goroutine{}
}

type literal[T any] struct{}

func (*literal[T]) call(f func()) { f() }

func TestRoles(t *testing.T) {
	Register(Deciding, (*literal[int]).call)
	defer delete(roles, Name((*literal[int]).call))
	var outside, inside Goroutine
	outside = in(t)
	new(literal[string]).call(func() { inside = in(t) })
	if outside.Has(Deciding) || !inside.Has(Deciding) || inside.Has(Controlled) {
		t.Errorf("roles are not seen in\n%v\n%v", outside, inside)
	}
}

func TestOurs(t *testing.T) {
	if Module != "github.com/gopor/gopor" {
		t.Errorf("the module is %q", Module)
	}
	_, file, _, _ := runtime.Caller(0)
	below := strings.TrimSuffix(file, "internal/stack/stack_test.go")
	for _, test := range []struct {
		f          Frame
		ours, user bool
	}{
		{Frame{Function: Module + "/sched.Go", File: below + "sched/go.go"}, true, false},
		{Frame{Function: Module + "/por.Check.(*harness).run.func1", File: below + "por/check.go"}, true, false},
		{Frame{Function: Module + "/por.TestX", File: below + "por/check_test.go"}, false, true},
		{Frame{Function: Module + "/por/testing.(*T).Run", File: below + "por/testing/t.go"}, true, false},
		{Frame{Function: Module + "/sched/std/sync.(*Once).Do", File: below + "sched/std/sync/once.go"}, true, true},
		{Frame{Function: "example.org/bank.Withdraw.func1", File: below + "sched/std/sync/once.go"}, true, false}, // inlined
		{Frame{Function: Module + "/examples/paper.Locks.func1", File: below + "examples/paper/locks.go"}, false, true},
		{Frame{Function: "runtime.gopark", File: "/go/src/runtime/proc.go"}, false, false},
		{Frame{Function: "panic", File: "/go/src/runtime/panic.go"}, false, false},
		{Frame{Function: "strings.Repeat", File: "/go/src/strings/strings.go"}, false, true},
	} {
		if test.f.Ours() != test.ours || test.f.User() != test.user {
			t.Errorf("%v: ours %v, want %v; user's %v, want %v", test.f, test.f.Ours(), test.ours, test.f.User(), test.user)
		}
	}
}

// TestPresent shows a program the goroutines of a process as if this module was not there.
func TestPresent(t *testing.T) {
	Register(First, bottom)
	Register(Controlled, coroutines)
	defer delete(roles, Name(bottom))
	defer delete(roles, Name(coroutines))
	ours := Module + "/internal/stack"
	text := strings.ReplaceAll(`goroutine 9 [running]:
MODULE/sched/std/runtime.Stack({0x1, 0x2}, 0x1)
	/m/sched/std/runtime/runtime.go:88 +0x6b
example.org/a.TestX.func1()
	/a/a_test.go:7 +0x1
MODULE/por/testing.(*executed).run(0x1)
	/m/por/testing/t.go:78 +0x1
OURS.bottom()
	/m/internal/stack/present_test.go:1 +0x1
example.org/a.gone()
	/a/a_test.go:9 +0x1
OURS.coroutines()
	/m/internal/stack/present_test.go:1 +0x1

goroutine 1 [chan receive]:
testing.(*T).Run(0x1)
	/go/src/testing/testing.go:2109 +0x4e5
main.main()
	_testmain.go:56 +0xb2

goroutine 4 [syscall]:
os/signal.signal_recv()
	/go/src/runtime/sigqueue.go:152 +0x98
os/signal.loop()
	/go/src/os/signal/signal_unix.go:23 +0x1d
created by os/signal.Notify.func1.1 in goroutine 5
	/go/src/os/signal/signal.go:152 +0x47

goroutine 2 [syscall]:
syscall.Syscall(0x1, 0x2, 0x3, 0x4)
	/go/src/syscall/syscall_linux.go:74 +0x25
os.(*File).Write(0x1, {0x2, 0x3, 0x4})
	/go/src/os/file.go:215 +0x8
MODULE/internal/terminal.(*Screen).Show(0x1)
	/m/internal/terminal/screen.go:32 +0x1
created by MODULE/por.(*session).watched in goroutine 5
	/m/por/watchdog.go:20 +0x1

goroutine 3 [chan send]:
os/signal.signal_enable(0x2)
	STANDARD/runtime/sigqueue.go:223 +0x65
os/signal.Notify(0x1, {0x2, 0x3, 0x4})
	STANDARD/os/signal/signal.go:166 +0x317
MODULE/por.(*reporter).tick(0x1)
	/m/por/progress.go:86 +0x1bc

goroutine 5 [select]:
MODULE/por.(*session).watch(0x1)
	/m/por/watchdog.go:32 +0x1
testing.tRunner(0x1)
	/go/src/testing/testing.go:2036 +0xea

goroutine 6 [coroutine]:
iter.Pull[...].func2()
	/go/src/iter/iter.go:317 +0x5b
OURS.bottom()
	/m/internal/stack/present_test.go:1 +0x1
OURS.coroutines()
	/m/internal/stack/present_test.go:1 +0x1

goroutine 7 [coroutine]:
iter.Pull[...].func2()
	/go/src/iter/iter.go:317 +0x5b
MODULE/sched.(*Mutex).Lock(0x1)
	/m/sched/lock.go:1 +0x1
MODULE/sched/std/sync.(*Mutex).Lock(0x1)
	/m/sched/std/sync/lock.go:1 +0x1
example.org/a.f(0x1)
	/a/a.go:3 +0x1
OURS.bottom()
	/m/internal/stack/present_test.go:1 +0x1
OURS.coroutines()
	/m/internal/stack/present_test.go:1 +0x1

goroutine 10 [coroutine]:
MODULE/sched.(*Chan[...]).Recv(0x1)
	/m/sched/chan.go:1 +0x1
MODULE/por/testing.(*executed).Run(0x1, {0x2, 0x3}, 0x4)
	/m/por/testing/t.go:139 +0x1
example.org/a.TestParent(0x1)
	/a/a_test.go:12 +0x1
MODULE/por/testing.(*executed).run(0x1)
	/m/por/testing/t.go:78 +0x1
OURS.bottom()
	/m/internal/stack/present_test.go:1 +0x1
OURS.coroutines()
	/m/internal/stack/present_test.go:1 +0x1

goroutine 11 [coroutine]:
runtime.corostart()
	/go/src/runtime/coro.go:69
runtime.goexit({})
	/go/src/runtime/asm_amd64.s:1771 +0x1
created by iter.Pull[...] in goroutine 5
	/go/src/iter/iter.go:271 +0x90

goroutine 12 [runnable]:
runtime.goexit1()
	/go/src/runtime/proc.go:4450 +0x31
runtime.goexit({})
	/go/src/runtime/asm_amd64.s:1771 +0x6
created by iter.Pull[...] in goroutine 5
	/go/src/iter/iter.go:271 +0x90

goroutine 8 [sleep]:
example.org/a.server()
	/a/a.go:9 +0x1
created by example.org/a.init.0 in goroutine 1
	/a/a.go:8 +0x1
`, "MODULE", Module)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "OURS", ours), "STANDARD/", StandardFolder)
	const outside = `goroutine 1 [chan receive]:
testing.(*T).Run(0x1)
	/go/src/testing/testing.go:2109 +0x4e5
main.main()
	_testmain.go:56 +0xb2

goroutine 8 [sleep]:
example.org/a.server()
	/a/a.go:9 +0x1
created by example.org/a.init.0 in goroutine 1
	/a/a.go:8 +0x1
`
	if got := Present(text, nil); got != outside {
		t.Errorf("outside of executions: %s", got)
	}
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	born, _ := runtime.CallersFrames(pcs[:]).Next()
	got := Present(text, map[uint64]Standing{9: {Number: 109, State: "running"},
		7: {107, "sync.Mutex.Lock", pcs[0], 109}, 10: {Number: 110, State: "chan receive"}})
	for _, want := range []string{
		"goroutine 109 [running]:\nexample.org/a.TestX.func1()\n\t/a/a_test.go:7 +0x1\n",
		"created by testing.(*T).Run in goroutine 1\n",
		"goroutine 107 [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(0x1)\n\t/m/sched/std/sync/lock.go:1 +0x1\nexample.org/a.f(0x1)\n\t/a/a.go:3 +0x1\ncreated by " + Module + "/internal/stack.TestPresent in goroutine 109\n\t" + born.File + ":" + strconv.Itoa(born.Line) + " +0x1\n\ngoroutine 110",
		"goroutine 110 [chan receive]:\ntesting.(*T).Run(...)\n\ttesting.go:1 +0x1\nexample.org/a.TestParent(0x1)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, "gone") || strings.Contains(got, "goroutine 5") || strings.Contains(got, "goroutine 6") ||
		strings.Contains(strings.NewReplacer(born.Function, "", born.File, "").Replace(got), Module) {
		t.Errorf("in an execution: %s", got)
	}
}

func bottom()     {}
func coroutines() {}

func TestPackage(t *testing.T) {
	for function, want := range map[string]string{
		"bank.F":                     "bank",
		"example.org/a/bank.(*S).F":  "example.org/a/bank",
		"gopkg.in/yaml%2ev3.F.func1": "gopkg.in/yaml.v3",
		"a/%22b%25%2e.F":             `a/"b%.`,
		"a/b%2.F":                    "a/b%2",
		"a/b%zz.F":                   "a/b%zz",
		"panic":                      "",
	} {
		if got := Package(function); got != want {
			t.Errorf("Package(%q) = %q, want %q", function, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, x := range []struct {
		frame Frame
		want  string
	}{{Frame{File: "/a/b.go", Line: 7}, "b.go:7"}, {Frame{File: "/a/b.go"}, "b.go"}} {
		if got := x.frame.Where(); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestTextOfMany looks for goroutines whose stacks take more than is usual.
func TestTextOfMany(t *testing.T) {
	const n, depth = 50, 200
	var begun, done sync.WaitGroup
	stop := make(chan struct{})
	var wait func(calls int)
	wait = func(calls int) {
		if calls == 0 {
			begun.Done()
			<-stop
			return
		}
		wait(calls - 1)
	}
	begun.Add(n)
	for range n {
		done.Go(func() { wait(depth) })
	}
	begun.Wait()
	waiting := 0
	for _, g := range All() { // of others of this process, one may end meanwhile
		if slices.ContainsFunc(g.Frames, func(f Frame) bool { return strings.Contains(f.Function, "TestTextOfMany") }) && g.ID != Current() {
			waiting++
		}
	}
	if waiting != n {
		t.Errorf("All has %d goroutines of this test, want %d", waiting, n)
	}
	close(stop)
	done.Wait()
}
