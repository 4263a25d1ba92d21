package main

import "testing"

// TestCommandLine has command lines that make no sense.
func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"frob"}, {"serve"}, {"serve", "-run", "TestX"}, {"serve", "-run", "TestX", "nats://127.0.0.1:1"}, {"work", "nats://127.0.0.1:1", "x.test"},
		{"work", "-processes", "-1", "-run", "TestX", "nats://127.0.0.1:1", "x.test"}, {"work", "-idle", "-1s", "-run", "TestX", "nats://127.0.0.1:1", "x.test"}, {"clear", "nats://127.0.0.1:1"}, {"work", "-frob"},
	} {
		if status := run(args); status != 2 {
			t.Errorf("%q: exit status %d", args, status)
		}
	}
	if status := run([]string{"work", "-run", "TestX", "nats://127.0.0.1:1", "main.go"}); status != 1 {
		t.Errorf("no test program: exit status %d", status)
	}
}
