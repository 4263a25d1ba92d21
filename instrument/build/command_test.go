package build

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRunCommand(t *testing.T) {
	const run, tool = "go run " + Command, "go tool por"
	for mod, want := range map[string]string{
		"module a\n":                      run,
		"module a\n\ntool " + Command:     tool,
		"module a\n\n// tool " + Command:  run,
		"module a\ntool " + Command + "2": run,
		"module a\ntool (\n\texample.org/x\n\t" + Command + " // por\n)\n":        tool,
		"module a\ntool (\n\texample.org/x\n)\nrequire (\n\t" + Command + "\n)\n": run,
	} {
		dir := t.TempDir()
		below := filepath.Join(dir, "a", "b")
		if err := os.MkdirAll(below, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{dir, below} {
			if got := RunCommand(from); got != want {
				t.Errorf("%q: got %s, want %s", mod, got, want)
			}
		}
	}
}
