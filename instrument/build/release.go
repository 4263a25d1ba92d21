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

// KnownRelease reports whether a version of Go is one of the releases whose standard library the twins
// were written for. A version between two releases, such as devel go1.27-1e5a52d, is not.
func KnownRelease(version string) bool {
	n := minor(version)
	return strings.HasPrefix(version, "go") && known.Oldest <= n && n <= known.Newest
}

// minor returns the second number of a version of Go, 27 for go1.27.4. It returns 0 if there is none.
func minor(version string) (n int) {
	_, rest, _ := strings.Cut(version, "go1.")
	if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
		return 0
	}
	return n
}

// Unknown returns the version of Go of a build that gopor does not know, "" if it knows it. Such a
// version is tried, and no verdict of what is built is exhaustive.
func (b *Build) Unknown() string {
	if KnownRelease(b.goRelease) {
		return ""
	}
	return b.goRelease
}

// NotKnown says that gopor does not know a version of Go.
func NotKnown(version string) string {
	return fmt.Sprintf("this version of gopor knows the standard library of Go 1.%d to 1.%d, not that of %s", known.Oldest, known.Newest, version)
}

// fits returns the error of a build as that of a version of Go which gopor does not know, or of a platform on which
// accesses of memory are not announced, if it is one.
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

// release returns the version of Go that the go command is of. It refuses one that is older than
// what the twins were written for.
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

// setting returns the value of one of the settled variables of the go command's environment.
func (b *Build) setting(name string) string { return b.environment[slices.Index(settled, name)] }

// toolchain returns a version of Go without the experiments that it was built with.
func toolchain(version string) string {
	version, _, _ = strings.Cut(version, " X:")
	return version
}

// fitTool replaces a tool which is this program, if another toolchain than the go command's has
// compiled that: a toolchain reads only the export data that itself has written.
func (b *Build) fitTool() error {
	if !b.ToolIsSelf || toolchain(runtime.Version()) == toolchain(b.goRelease) {
		return nil
	}
	home := b.Home // the source of this program, if it is on this machine
	if home == "" {
		home = b.seenHome
	}
	tool, id, err := b.buildTool(home, b.goRelease)
	if err == nil {
		b.Tool, b.ToolID = []string{tool}, id
	}
	return err
}

// atHome makes a go command run in the folder of this module, with the toolchain that it has in
// Dir: the go line of Dir's module may have chosen that. What concerns Dir's module only, such as
// its workspace and its vendor folder, is left out.
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

// ownFlags returns the flags of a go command that are of use in another module than the user's.
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
