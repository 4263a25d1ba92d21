package instrument

import (
	"strings"
	"testing"
)

// TestShared holds the analysis to the comments of a file of test data.
func TestShared(t *testing.T) {
	text := testdata(t, "share.go.txt")
	sources := []Source{{"share.go", text}}
	p, err := check(t, "share", "go1.25", sources)
	if err != nil {
		t.Fatal(err)
	}
	after := withMemory(p, sources)
	if _, err := check(t, "share", "go1.25", after); err != nil {
		t.Error(err)
	}
	lines := strings.Split(string(after[0].Text), "\n")
	marks := 0
	for i, line := range strings.Split(string(text), "\n") {
		mark := ""
		if k := strings.LastIndex(line, "// "); k >= 0 {
			mark = line[k+3:]
		}
		if mark != "shared" && mark != "local" {
			continue
		}
		marks++
		if announced := strings.Contains(lines[i+1], native); announced != (mark == "shared") {
			t.Errorf("line %d is %s: %s", i+1, mark, lines[i+1])
		}
	}
	if marks < 100 {
		t.Errorf("only %d lines have a mark", marks)
	}
}
