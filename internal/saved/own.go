package saved

import (
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// This file says for which packages schedules are saved, and which settings matter to these.

// IsOwn reports whether a folder is that of a package of the user's: it has tests, and is
// not of a module that others have published, of a vendored one, or of the standard library.
func IsOwn(dir string) bool {
	if dir == "" || strings.HasPrefix(dir, RuntimeFolder()+string(filepath.Separator)) {
		return false
	}
	if slash := filepath.ToSlash(dir) + "/"; strings.Contains(slash, "@v") || strings.Contains(slash, "/vendor/") {
		return false
	}
	info, ok := debug.ReadBuildInfo()
	if ok && (info.Main.Sum != "" || info.Main.Path == "std" || info.Main.Path == "cmd") {
		return false
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	return err == nil && len(files) > 0
}

// RuntimeFolder returns the folder of the standard library's sources, as the compiler has
// seen it.
func RuntimeFolder() string {
	f := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer())
	file, _ := f.FileLine(f.Entry())
	return filepath.Dir(filepath.Dir(file))
}

// limiting are the flags that say how long is searched, and how, but change nothing in what an
// execution does.
var limiting = []string{"time", "executions", "memory", "engine", "seed", "output", "save", "corpus", "processes", "keep"}

// Changing returns those of the flags of a run with which executions are others, in order.
func Changing(flags []string) (own []string) {
	for _, f := range flags {
		name, check := strings.CutPrefix(f, "-check.")
		name, _, _ = strings.Cut(name, "=")
		if !check || !slices.Contains(limiting, name) {
			own = append(own, f)
		}
	}
	slices.Sort(own)
	return own
}
