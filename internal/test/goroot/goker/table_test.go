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
	b.WriteString(tableStart + " no options | execution | seconds | optimal | execution | seconds | at random | execution | seconds |\n" + strings.Repeat("|---", 10) + "|\n")
	for _, k := range which {
		fmt.Fprintf(&b, "| %s |%s|%s|%s|\n", k, cells(found["auto"][k]), cells(found["optimal"][k]), cells(found["random"][k]))
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

// lasting returns the table without the seconds, and without the executions of searches that
// share their time between ways of passing time.
func lasting(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		for i, c := range cells {
			if i != 3 && i != 4 && i != 7 && i != 10 {
				b.WriteString(c + "|")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
