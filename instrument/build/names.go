package build

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file marks packages by import paths only, for go commands that know no more of a package
// when they match the patterns of -gcflags. The go command compiles a regular expression for
// each pattern and each package, so there are few patterns. All packages of the standard
// library have the mark of those that announce accesses of memory, and the tool knows which
// ones do.

// namesOnly reports whether the go command knows only the import path of a package when it
// matches patterns of -gcflags. Since Go 1.27 that is so for packages that only tests import:
// neither their folders nor the pattern std match.
func (b *Build) namesOnly() bool { return minor(b.goRelease) >= 27 }

// unmarkedTrees are the patterns of packages of the standard library that take long to compile,
// and few of which are marked. The go command's cache usually has them. The third pattern is
// for sync and syscall. It also matches packages of modules, but later patterns match those
// again.
var unmarkedTrees = []string{"crypto/internal/...", "internal/...", "sy...", "runtime/...", "vendor/..."}

// markedInTrees are the patterns of the marked packages among them: see [announcing].
var markedInTrees = []string{"crypto/internal/fips140/aes...", "crypto/internal/fips140/hmac", "crypto/internal/fips140/sha...", "internal/reflectlite", "vendor/golang.org/x/net/http2/hpack"}

// notRuntime are the patterns of packages of this module that are rewritten like the user's.
var notRuntime = []string{"examples/...", "por/cluster/..."}

// flagsByName returns the flags that mark packages and name the tool.
func (b *Build) flagsByName() []string {
	mark, all := quote(Mark+"="+b.plan), b.gcflagsOfAll()
	flags := b.marksOfStd()
	for _, p := range slices.Concat(controlled(), b.roots()) {
		flags = append(flags, gcflags(p, mark, all))
	}
	for _, f := range b.Gcflags {
		pattern, rest := "", f
		if !strings.HasPrefix(f, "-") {
			pattern, rest, _ = strings.Cut(f, "=")
			pattern += "="
		}
		if pattern != "all=" { // the other flags have these
			flags = append(flags, "-gcflags="+pattern+strings.TrimSpace(mark+" "+rest))
		}
	}
	flags = append(flags, b.marksOfOurs()...)
	for _, p := range notRuntime {
		flags = append(flags, gcflags(module+"/"+p, mark, all))
	}
	return append(flags, b.toolexec(b.plan))
}

// marksOfStd returns the flags that mark all packages like those of the standard library.
func (b *Build) marksOfStd() []string {
	all := b.gcflagsOfAll()
	if b.stdPlan == "" {
		return []string{"-gcflags=all=" + all}
	}
	mark, rest := MarkStd+"="+filepath.Base(b.stdPlan), b.undebugged(all)
	flags := []string{gcflags("all", mark, rest)}
	for _, t := range unmarkedTrees {
		flags = append(flags, "-gcflags="+t+"="+all)
	}
	for _, p := range markedInTrees {
		flags = append(flags, gcflags(p, mark, rest))
	}
	return flags
}

// marksOfOurs returns the flags that mark the packages of this module, with their compile
// flags.
func (b *Build) marksOfOurs() []string {
	ours, rest := MarkOurs+"="+b.ToolID, b.undebugged(b.gcflagsOfAll())
	return []string{gcflags(module+"/...", ours, rest), gcflags(judging, ours, rest)}
}

// undebugged returns the flags of packages that have no debug information, unless Debugged is
// set.
func (b *Build) undebugged(all string) string {
	if b.Debugged {
		return all
	}
	return all + " -dwarf=false"
}

// Inlined reports whether functions are inlined in a package of this module.
func Inlined(path string) bool {
	return !slices.ContainsFunc(rarelyRun, func(p string) bool {
		tree, all := strings.CutSuffix(p, "/...")
		return path == module+"/"+tree || all && strings.HasPrefix(path, module+"/"+tree+"/")
	})
}

// roots returns patterns that match the packages of all modules that the build may use: one for
// each first element of their paths.
func (b *Build) roots() []string {
	roots := map[string]bool{"command-line-arguments": true}
	add := func(text []byte) (int, error) {
		for line := range bytes.Lines(text) {
			addRoots(roots, string(line))
		}
		return len(text), nil
	}
	work := b.setting("GOWORK")
	files := []string{b.setting("GOMOD"), work}
	if text, err := os.ReadFile(work); err == nil {
		for line := range bytes.Lines(text) {
			for _, w := range moduleWords(string(line)) {
				files = append(files, filepath.Join(inFolder(filepath.Dir(work), w), "go.mod"))
			}
		}
	}
	for _, f := range files {
		requirements(add, f) // the go command reports a file that cannot be read
	}
	return slices.Sorted(maps.Keys(roots))
}

// inFolder returns the path of a name relative to a folder.
func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

var (
	isVersion  = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+|^[0-9.]+$`)
	directives = set("module require replace exclude retract use go toolchain godebug tool ignore => ( ) # ##")
)

// moduleWords returns the words of a line of a go.mod, go.work, go.sum or modules.txt that are
// not directives.
func moduleWords(line string) (words []string) {
	line, _, _ = strings.Cut(line, "//")
	for _, w := range strings.Fields(line) {
		if w = strings.Trim(w, "\"`"); !directives[w] {
			words = append(words, w)
		}
	}
	return words
}

// addRoots adds the patterns for the modules that a line names. A superfluous pattern is
// harmless.
func addRoots(roots map[string]bool, line string) {
	for _, w := range moduleWords(line) {
		root, _, _ := strings.Cut(w, "/")
		if root != "" && root != "." && root != ".." && !isVersion.MatchString(root) && !strings.ContainsAny(root, ":=;,[]\\") {
			roots[root+"/..."] = true
		}
	}
}
