package naming

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

// OnDisk returns where a file is. If the test was built with -trimpath, the name that the compiler has given it begins with
// the path of its module: that is in the folder of the module that is tested, or in that of modules that
// are downloaded. Other files keep their names.
func OnDisk(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	m := trimmed()
	if rest, ok := strings.CutPrefix(file, m.path+"/"); ok && m.root != "" {
		return filepath.Join(m.root, filepath.FromSlash(rest))
	}
	if module, rest, ok := strings.Cut(file, "@"); ok {
		version, rest, _ := strings.Cut(rest, "/")
		return filepath.Join(m.cache, filepath.FromSlash(escaped(module+"@"+version)), filepath.FromSlash(rest))
	}
	return file
}

// modules is where files of modules are.
type modules struct {
	path, root string // of the module that is tested
	cache      string
}

// startFolder is where the process was started: for a test that is the folder of its package.
var startFolder, _ = os.Getwd()

var trimmed = sync.OnceValue(func() (m modules) {
	if m.cache = os.Getenv("GOMODCACHE"); m.cache == "" {
		m.cache = filepath.Join(goPath(), "pkg", "mod")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	m.path = info.Main.Path
	for dir := startFolder; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			m.root = dir
			return m
		}
		if dir == filepath.Dir(dir) {
			return m
		}
	}
})

// goPath returns the first folder of GOPATH.
func goPath() string {
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 {
		return list[0]
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, "go")
}

// escaped returns a module and its version as the folder of downloaded modules has them: !a for A.
func escaped(path string) string {
	var b strings.Builder
	for _, r := range path {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
