package instrument

import (
	"slices"
	"testing"
)

// TestParseCompile holds the files of a command apart from values of flags that end in .go, as the
// import path of a module may.
func TestParseCompile(t *testing.T) {
	command := []string{"compile", "-o", "x.a", "-trimpath", "/mod/nats.go@v1=>example.org/nats.go", "-p", "example.org/nats.go",
		"-complete", "-buildid", "b", "-importcfg", "importcfg", "-pack", "./a.go", "./b.go"}
	c := parseCompile(command)
	var files []string
	for _, at := range c.files {
		files = append(files, c.args[at])
	}
	if !slices.Equal(files, []string{"./a.go", "./b.go"}) || c.path != "example.org/nats.go" {
		t.Errorf("the package %s has files %q", c.path, files)
	}
}
