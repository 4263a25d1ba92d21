package main

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestDemo(t *testing.T) {
	status, out, err := calls.Call(porCommand, "demo")
	if status != command.OK || err != "" {
		t.Fatalf("status %d, error %q, output:\n%s", status, err, out)
	}
	for _, want := range []string{"deadlock", "semaphore.go:", "POR_REPLAY=p1", "the same bug", "none fails (exhaustive"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
}
