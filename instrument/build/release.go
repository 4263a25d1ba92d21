package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// KnownRelease reports whether a version of Go is one of the releases for which the twins were
// written. A version between two releases, such as devel go1.27-1e5a52d, is not.
func KnownRelease(version string) bool {
	n := minor(version)
	return strings.HasPrefix(version, "go") && known.Oldest <= n && n <= known.Newest
}

// Doubt returns what speaks against the use of a version of Go, "" if nothing does.
func Doubt(version string) string {
	switch {
	case KnownRelease(version):
		return ""
	case minor(version) < known.Oldest:
		return "it is too old"
	}
	return "por does not know it, and tries it: no verdict is exhaustive"
}

// minor returns the second number of a version of Go, 27 for go1.27.4. It returns 0 if there is
// none.
func minor(version string) (n int) {
	_, rest, _ := strings.Cut(version, "go1.")
	if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
		return 0
	}
	return n
}

// Unknown returns the version of Go of a build if gopor does not know it, else "". Such a
// version is tried, but no verdict of its binaries is exhaustive.
func (b *Build) Unknown() string {
	if KnownRelease(b.goRelease) {
		return ""
	}
	return b.goRelease
}

// NotKnown returns the text that gopor does not know a version of Go.
func NotKnown(version string) string {
	return fmt.Sprintf("this version of gopor knows the standard library of Go 1.%d to 1.%d, not that of %s", known.Oldest, known.Newest, version)
}

// fits returns the error of a build, with an explanation if the version of Go is unknown or the
// platform does not announce accesses of memory.
func (b *Build) fits(err error) error {
	switch {
	case err != nil && strings.Contains(err.Error(), "does not support -race"):
		return fmt.Errorf("code cannot be brought under control for %s/%s: accesses of memory are seen by what the compiler has for the race detector, and there is none for this platform",
			b.setting("GOOS"), b.setting("GOARCH"))
	case err == nil || b.Unknown() == "":
		return err
	}
	return fmt.Errorf("code cannot be brought under control with %s: %s, and it does not fit; use another one, such as with GOTOOLCHAIN=go1.%d.0, or another version of gopor\n%w",
		b.goRelease, NotKnown(b.goRelease), known.Newest, err)
}

// release returns the version of the go command. It refuses one that is older than those for
// which the twins were written.
func (b *Build) release() (string, error) {
	if b.goRelease == "" {
		text, err := output(b.goCommand(append([]string{"env"}, settled...)...))
		if err != nil {
			return "", err
		}
		b.environment = strings.Split(text, "\n")
		b.goRelease = b.setting("GOVERSION")
	}
	if minor(b.goRelease) >= known.Oldest {
		return b.goRelease, nil
	}
	return "", fmt.Errorf("code cannot be brought under control with %s: this version of gopor knows the standard library of Go 1.%d to 1.%d; use another one, such as with GOTOOLCHAIN=go1.%d.0, or another version of gopor",
		b.goRelease, known.Oldest, known.Newest, known.Newest)
}

// setting returns the value of a variable in settled.
func (b *Build) setting(name string) string { return b.environment[slices.Index(settled, name)] }

// atHome makes a go command run in the folder of this module, with the toolchain that it has in
// Dir, which the go line of Dir's module may have chosen. It omits settings that concern only
// Dir's module, such as its workspace and its vendor folder.
func (b *Build) atHome(cmd *exec.Cmd, home string) {
	name := filepath.Join(b.setting("GOROOT"), "bin", "go")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if _, err := os.Stat(name); err == nil {
		cmd.Path, cmd.Err = name, nil
	}
	given := strings.Join(ownFlags(strings.Fields(b.setting("GOFLAGS"))), " ")
	cmd.Dir = home
	cmd.Env = Environ(Environ(Environ(b.Env, "GOTOOLCHAIN", "local"), "GOWORK", "off"), "GOFLAGS", given)
}

// ownFlags returns the flags of a go command that also apply in another module than the user's.
func ownFlags(flags []string) (own []string) {
	for i := 0; i < len(flags); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		if name == "mod" || name == "modfile" {
			if !hasValue {
				i++
			}
			continue
		}
		own = append(own, flags[i])
	}
	return own
}
