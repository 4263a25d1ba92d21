package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Command is the import path of command por.
const Command = "github.com/gopor/gopor/cmd/por"

// RunCommand returns how to run command por, where it is not installed, from a folder. That is
// as a tool of the module there, if its go.mod lists it as go get -tool does.
func RunCommand(dir string) string {
	dir, err := filepath.Abs(dir)
	for err == nil {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			if isTool(string(text)) {
				return "go tool por"
			}
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		break
	}
	return "go run " + Command
}

// isTool reports whether a go.mod lists command por as a tool.
func isTool(mod string) bool {
	block := false
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case slices.Equal(words, []string{"tool", "("}):
			block = true
		case slices.Equal(words, []string{")"}):
			block = false
		case slices.Equal(words, []string{"tool", Command}), block && slices.Equal(words, []string{Command}):
			return true
		}
	}
	return false
}
