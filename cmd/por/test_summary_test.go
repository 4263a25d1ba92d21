package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/record"
)

// TestSay prints the summary where it belongs.
func TestSay(t *testing.T) {
	s := record.Summarise([]record.Entry{{Class: record.Every, Package: "example.org/a", Test: "TestX"}})
	const given = "-cuont was given to the test program; did you mean -count?"
	bad := record.Summarise([]record.Entry{{Class: record.Fails, Package: "b", Test: "TestY"}})
	const line = "por: 1 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 0 fail, 0 not explored\n"
	for _, x := range []struct {
		json     bool
		s        *record.Summary
		lost     []string
		failed   bool
		out, err string
		strict   []string
	}{
		{false, s, nil, false, "", line, nil},
		{false, s, nil, true, "", line + "  go test fails for another reason, which is above\n  " + given + "\n", nil},
		{false, bad, nil, true, "", "por: 0 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 1 fail, 0 not explored\n  fail: b.TestY\n", nil},
		{true, s, nil, false, `"Action":"output","Package":"example.org/a","Output":"por: 1 pass under every schedule`, "", nil},
		{false, record.Summarise(nil), nil, true, "", "", nil},
		{true, record.Summarise(nil), nil, false, "", "", nil},
		{false, record.Summarise(nil), []string{"a", "b"}, false, "", "por: from the cache of go test, with no verdict kept: a b (-count=1 runs the tests again)\n", nil},
		{false, s, []string{"b"}, false, "", line + "  from the cache of go test, with no verdict kept: b (-count=1 runs the tests again)\n", nil},
		{true, record.Summarise(nil), []string{"a", "b"}, false, `"Package":"b"`, "", nil},
		{false, s, nil, false, "", line + "  the run fails\n", []string{"  the run fails"}},
	} {
		var out, err bytes.Buffer
		c := testCommand{json: x.json, given: given}
		c.say(command.Env{Out: &out, Err: &err}, x.s, x.lost, x.strict, x.failed, "")
		if err.String() != x.err || !strings.Contains(out.String(), x.out) || (x.out == "") != (out.Len() == 0) {
			t.Errorf("%+v: out %q, err %q", x, out.String(), err.String())
		}
		var alone bytes.Buffer
		new(testCommand).say(command.Env{Err: &alone}, record.Summarise(nil), nil, nil, false, "1 test leaves goroutines behind")
		if alone.String() != "por: 1 test leaves goroutines behind\n" {
			t.Errorf("what is left behind alone: %q", alone.String())
		}
	}
}
