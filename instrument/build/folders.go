package build

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// look asks the go command for its environment, and for the folders of this module and of the
// standard library.
func (b *Build) look() error {
	done := make(chan error, 1)
	go func() { done <- b.lookForFolders() }()
	_, err := b.release()
	if err == nil {
		err = b.outsideStd()
	}
	return cmp.Or(err, <-done) // the error of an unknown release says more
}

// outsideStd refuses a build in the module of the standard library, or of the toolchain:
// gopor's runtime would be under its own control.
func (b *Build) outsideStd() error {
	root := filepath.Join(b.setting("GOROOT"), "src")
	if mod := b.setting("GOMOD"); mod != os.DevNull && within(filepath.Dir(mod), root) {
		return fmt.Errorf("packages of Go itself, in %s, cannot be brought under control; copy the package into a module of your own", root)
	}
	return nil
}

func (b *Build) lookForFolders() error {
	text, err := b.list("-e", "-f", "{{.Dir}}\t{{with .Error}}{{.}}{{end}}", "bytes", module+"/sched")
	std, own, _ := strings.Cut(text, "\n")
	own, problem, _ := strings.Cut(own, "\t")
	if std, _, _ = strings.Cut(std, "\t"); std != "" {
		b.seenStd = filepath.Dir(std)
	}
	switch {
	case own != "":
		b.seenHome = filepath.Dir(own)
		return nil
	case b.Home != "": // Dir's module does not use this one, or its go.mod is invalid
		b.seenHome, b.foreign = b.Home, true
		return nil
	case err == nil:
		err = errors.New(strings.TrimSpace(problem))
	}
	return err
}

// upwards is the largest depth of the folder in which the go command is run.
const upwards = 32

// std returns the name, for -gcflags, of a package of the standard library, and own that of the
// packages of this module that a pattern names.
func (b *Build) std(path string) string { return b.below(b.seenStd, path, path) }

func (b *Build) own(pattern string) string {
	path := module + "/" + pattern
	// A pattern of folders also names packages of other modules that are within these.
	if root, all := strings.CutSuffix(pattern, "/..."); all && within(b.Dir, filepath.Join(b.seenHome, root)) {
		return path
	}
	return b.below(b.seenHome, pattern, path)
}

// within reports whether dir is folder, or below it.
func within(dir, folder string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(folder, dir)
	return err == nil && filepath.IsLocal(rel)
}

// below names packages by their folder, relative to that in which the go command is run, or by
// their import path if that is not possible. The go command compiles a regular expression for
// each pattern of import paths and each package, which takes an eighth of a second for all
// marked packages.
func (b *Build) below(folder, pattern, path string) string {
	if !filepath.IsAbs(folder) || strings.ContainsAny(folder, "= \t\n") || strings.Contains(folder, "...") || !climbable(b.Dir) {
		return path
	}
	return strings.Repeat("../", upwards) + strings.TrimPrefix(folder, "/") + "/" + pattern
}

// climbable reports whether upwards steps lead from a folder to the root, by every name under
// which the go command may know it.
func climbable(dir string) bool {
	if runtime.GOOS == "windows" { // Windows has several roots
		return false
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for _, name := range []string{dir, real, os.Getenv("PWD")} {
		if strings.Count(name, "/") > upwards {
			return false
		}
	}
	return true
}
