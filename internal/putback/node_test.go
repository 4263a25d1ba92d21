package putback

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A socket or a pipe that an execution removes, or replaces, is there again; one that it makes is gone.
func TestNodes(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no such files")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, mode := range map[string]fs.FileMode{"socket": fs.ModeSocket, "pipe": fs.ModeNamedPipe} {
		t.Run(name, func(t *testing.T) {
			for what, change := range map[string]func(f files){
				"remove":  func(f files) { f.remove("n") },
				"replace": func(f files) { f.remove("n"); f.write("n", "x") },
				"folder":  func(f files) { f.remove("n"); f.mkdir("n"); f.write("n/f", "x") },
				"chmod":   func(f files) { f.chmod("n", 0o700) },
				"rename":  func(f files) { f.rename("n", "m") },
				"other": func(f files) {
					f.remove("n")
					must(t, makeNode(f.at("n"), fs.ModeSocket^fs.ModeNamedPipe^mode))
				},
				"make": func(f files) {
					f.before("new", Name)
					must(t, makeNode(f.at("new"), mode))
				},
				"all": func(f files) { f.removeAll("") },
			} {
				dir := filepath.Join(root, name+what)
				must(t, os.Mkdir(dir, 0o755))
				must(t, makeNode(filepath.Join(dir, "n"), mode))
				must(t, os.Chmod(filepath.Join(dir, "n"), 0o640))
				before := snapshot(t, dir)
				k := New(filepath.Join(root, "keeper"), nil)
				change(files{t, k, dir})
				must(t, k.PutBack())
				if after := snapshot(t, dir); after != before {
					t.Errorf("%s: after\n%sbefore\n%s", what, after, before)
				}
				must(t, k.Close())
			}
		})
	}
}
