package goker

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	tableName  = "README.md"
	tableStart = "| kernel |"
)

// checkTable compares what was found with the table in the folder, but for the
// seconds, or writes it.
func checkTable(t *testing.T, which []string, found map[string]map[string]*finding) {
	text, err := os.ReadFile(tableName)
	if err != nil {
		t.Fatal(err)
	}
	about, table, _ := strings.Cut(string(text), tableStart)
	var b strings.Builder
	b.WriteString(tableStart + " default engine | execution | seconds | at random | execution | seconds |\n|---|---|---|---|---|---|---|\n")
	for _, k := range which {
		fmt.Fprintf(&b, "| %s |%s|%s|\n", k, cells(found["optimal"][k]), cells(found["random"][k]))
	}
	if *update {
		if err := os.WriteFile(tableName, []byte(about+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, want := lasting(b.String()), lasting(tableStart+table); got != want {
		t.Errorf("%s does not hold any more; run with -update and look at the difference:\n%s", tableName, b.String())
	}
}

// cells tells what kind of failure was found, in which execution, and when.
func cells(f *finding) string {
	if f == nil || f.Failure == nil {
		return " – | – | – "
	}
	return fmt.Sprintf(" %s | %d | %.2f ", f.Kind, f.Failure.Execution, f.Seconds)
}

// lasting returns the table without the seconds.
func lasting(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		for i, c := range cells {
			if i != 4 && i != 7 {
				b.WriteString(c + "|")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
