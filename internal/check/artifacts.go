package check

import (
	"flag"
	"path/filepath"
	"sync"

	"github.com/gopor/gopor/internal/hook"
)

// keepArtifacts leaves alone what executions make in directories that remain after a test, see
// testing.T.ArtifactDir. Other files are put back.
var keepArtifacts = sync.OnceFunc(func() {
	if flagValue("test.artifacts") != "true" {
		return
	}
	if dir, err := filepath.Abs(filepath.Join(flagValue("test.outputdir"), "_artifacts")); err == nil {
		hook.AddOwnFolder(dir)
	}
})

// flagValue returns the value of a flag of the test binary, "" if it has no such flag.
func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}
