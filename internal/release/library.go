package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A library is the standard library of a release, as its source declares it.
type library struct {
	version  string
	minor    int                            // the second number of the version
	packages map[string]map[string]declared // by import path and name
	linked   map[string]bool                // the names in go:linkname directives
}

// declared is a symbol as the source declares it.
type declared struct {
	kind string // func, method, type, var, const or field
	text string // the parameters and results of a function, the type of a field
}

// readLibrary reads the library of the toolchain in a folder.
func readLibrary(goroot string) (*library, error) {
	command := filepath.Join(goroot, "bin", "go")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	lib := &library{packages: make(map[string]map[string]declared), linked: make(map[string]bool)}
	env := append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT="+goroot, "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=")
	version, err := output(env, command, "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	lib.version = strings.TrimSpace(version)
	fmt.Sscanf(lib.version, "go1.%d", &lib.minor)
	list, err := output(env, command, "list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \"\\t\"}}", "std")
	if err != nil {
		return nil, err
	}
	var again []aliased
	for line := range strings.Lines(list) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		if len(words) < 3 {
			continue
		}
		if strings.HasPrefix(words[0], "vendor/") {
			lib.packages[words[0]] = nil // no program can name what is in it
			continue
		}
		found, err := lib.readPackage(words[0], words[1], words[2:])
		if err != nil {
			return nil, fmt.Errorf("%w; if its syntax is newer than %s, let the toolchain of the library compile this: GOTOOLCHAIN=%s", err, runtime.Version(), lib.version)
		}
		again = append(again, found...)
	}
	for _, a := range again {
		lib.follow(a)
	}
	return lib, nil
}

// output runs a command outside of any module.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = env, os.TempDir()
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaint.Bytes())
	}
	return string(out), nil
}

// readPackage reads the files of a package. It returns the types that are aliases of other
// types.
func (lib *library) readPackage(path, dir string, files []string) (aliases []aliased, err error) {
	p := &reader{path: path, symbols: make(map[string]declared), linked: lib.linked}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.text = text
		p.file(f)
	}
	lib.packages[path] = p.symbols
	return p.aliases, nil
}

// follow gives a type the fields and methods of another one, except those that it already has.
func (lib *library) follow(a aliased) {
	for name, d := range lib.packages[a.target] {
		if rest, ok := strings.CutPrefix(name, a.name+"."); ok {
			if _, own := lib.packages[a.path][a.as+"."+rest]; !own {
				lib.packages[a.path][a.as+"."+rest] = d
			}
		}
	}
}

// printNames prints the exported names of packages that programs may import, except constants.
func (lib *library) printNames(w io.Writer) {
	fmt.Fprintf(w, "# The exported names of the standard library of %s, by package: go run ./internal/release -base\n", lib.version)
	for _, path := range slices.Sorted(maps.Keys(lib.packages)) {
		line := path + ":"
		for _, name := range slices.SortedFunc(maps.Keys(lib.packages[path]), cmp.Compare) {
			if !lib.exports(path, name) {
				continue
			}
			if len(line)+len(name) > 120 {
				fmt.Fprintln(w, line)
				line = "\t"
			}
			line += " " + name
		}
		if line != path+":" {
			fmt.Fprintln(w, line)
		}
	}
}

// exports reports whether programs may use a symbol that is not a constant.
func (lib *library) exports(path, name string) bool {
	if slices.Contains(strings.Split(path, "/"), "internal") || lib.packages[path][name].kind == "const" || path == "builtin" {
		return false
	}
	for word := range strings.SplitSeq(name, ".") {
		if !ast.IsExported(word) {
			return false
		}
	}
	return true
}

// unquote returns the import path of a declaration.
func unquote(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}
