package stack

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIsUsers tells whose functions there are: a library of assertions has tests of its own.
func TestIsUsers(t *testing.T) {
	for _, f := range []struct {
		function, file string
		want           bool
	}{
		{"cache.(*Cache).Get", "/src/cache/cache.go", true},
		{"cache.TestGet", "/src/cache/cache_test.go", true},
		{"testing.tRunner", "/usr/local/go/src/testing/testing.go", false},
		{"gotest.tools/v3/assert.Check", "/src/assert/assert.go", false},
		{"gotest.tools/v3/poll.TestWaitOn.func1", "/src/poll/poll_test.go", true},
		{"gotest.tools/v3/poll_test.helper", "poll_test.go", true},
		{"mine/vendor/github.com/stretchr/testify/assert.Equal", "/src/vendor/github.com/stretchr/testify/assert/assertions.go", false},
	} {
		if got := IsUsers(f.function, f.file); got != f.want {
			t.Errorf("%s in %s is the user's: %v", f.function, f.file, got)
		}
	}
}

func TestUserFrames(t *testing.T) {
	const text = `goroutine 7 [running]:
runtime/debug.Stack()
	/go/src/runtime/debug/stack.go:26 +0x5e
github.com/gopor/gopor/sched.(*coroutine).body.func1()
	/x/sched/coroutine.go:60 +0x7
panic({0x1?, 0x2?})
	/go/src/runtime/panic.go:783 +0x132
example.org/bank.(*Account).Withdraw(...)
	/home/me/bank/account.go:12
example.org/bank.TestAccount.func1({0xc000, 0x5})
	/home/me/bank/account_test.go:33 +0x20
github.com/gopor/gopor/sched.(*coroutine).body(0xc0)
	/x/sched/coroutine.go:70 +0x20
created by iter.Pull[...] in goroutine 6
	/go/src/iter/iter.go:271 +0x90
`
	want := []string{"bank.(*Account).Withdraw  account.go:12", "bank.TestAccount.func1  account_test.go:33"}
	if diff := cmp.Diff(want, UserFrames(Frames(text))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	only := "goroutine 1 [running]:\nruntime.gopark()\n\t/go/src/runtime/proc.go:5 +0x1\n"
	if got := UserFrames(Frames(only)); !slices.Equal(got, []string{"runtime.gopark  proc.go:5"}) {
		t.Errorf("got %q", got)
	}
}

func TestShortName(t *testing.T) {
	for function, want := range map[string]string{
		"example.org/a/bank.(*S).F":                          "bank.(*S).F",
		"example.org/bank/v2.(*S).F":                         "bank.(*S).F",
		"example.org/bank/v2_test.TestX":                     "bank_test.TestX",
		"example.org/bank/v2x.F":                             "v2x.F",
		"v2.F":                                               "v2.F",
		"gopkg.in/yaml%2ev3.(*S).F":                          "yaml.v3.(*S).F",
		"example.org/a/v%2e1.F[example.org/b/c%2ed.T].func1": "v.1.F[...].func1",
	} {
		if got := ShortName(function); got != want {
			t.Errorf("%q is %q, want %q", function, got, want)
		}
	}
}
