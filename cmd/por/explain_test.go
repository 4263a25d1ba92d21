package main

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/calls"
)

// TestExplain looks up words that por prints, and that a newcomer has asked for.
func TestExplain(t *testing.T) {
	for _, test := range []struct{ words, want, page string }{
		{"by lag", "the clock may move on early", "settings.md#how-time-passes"},
		{"By  LAG", "the clock may move on early", "settings.md#how-time-passes"},
		{"hunt", "bound by bound", "engines.md#what-each-engine-runs"},
		{"lost wakeup", "a signal came before", "flaky.md#2-read-the-report"},
		{"with assumptions", "every trace was explored", "ci.md#the-last-lines"},
		{"not explored", "says why", "ci.md#the-last-lines"},
		{"stopped by a limit", "", "ci.md#the-last-lines"},
		{"goroutine leak", "wait for ever", "flaky.md"},
		{"data race", "one of them a write", "glossary.md#order"},
		{"preemption", "although the last one is enabled", "glossary.md#search"},
		{"-check.model", "trylock", "settings.md#flags-of-por-check"},
		{"goroutines share no Pool", "Get", "limits/locks.md#pools"},
		{"shared Pools", "Pool", "limits/locks.md#pools"},
		{"crash", "starts again", "systems.md#faults-of-the-network"},
	} {
		status, out, errs := calls.Call(porCommand, append([]string{"explain"}, strings.Split(test.words, " ")...)...)
		if status != 0 || errs != "" || !strings.Contains(out, test.want) || !strings.Contains(out, "/docs/"+test.page) {
			t.Errorf("por explain %s ends with %d and prints\n%s%s; want %q of page %s", test.words, status, out, errs, test.want, test.page)
		}
	}
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"", 0, "  preemption\n"},
		{"preempton", 2, "did you mean preemption?"},
		{"xyzzy", 2, "por explain lists the terms"},
	} {
		status, out, errs := calls.Call(porCommand, append([]string{"explain"}, strings.Fields(test.args)...)...)
		if status != test.status || !strings.Contains(out+errs, test.want) {
			t.Errorf("por explain %s ends with %d and prints\n%s%s; want %d, %q", test.args, status, out, errs, test.status, test.want)
		}
	}
}

// TestPassages has links of passages lead to headings, and no passage that is empty.
func TestPassages(t *testing.T) {
	all := passages()
	if len(all) < 300 {
		t.Errorf("%d passages", len(all))
	}
	for _, p := range all {
		if p.title == "" || p.text == "" && !p.isRow || strings.Contains(p.text, "](") {
			t.Errorf("%+v", p)
		}
	}
}
