package naming

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

// OnDisk returns the path of a file on disk. If the test was built with -trimpath, the
// compiler's name of the file begins with the path of its module. Such a file is in the folder
// of the tested module or in the module cache. Other files keep their names.
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

// modules has the places of files of modules.
type modules struct {
	path, root string // of the tested module
	cache      string
}

// startFolder is the initial working directory: for a test, the folder of its package.
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

// escaped returns a module path and version in the form used in the module cache: !a for A.
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
