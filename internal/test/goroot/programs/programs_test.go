package programs

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
)

// warned are the programs of which something is not under control, with what is said of that.
var warned = map[string]string{
	"typeparam/builtins.go":   "close of a channel whose element type is not known",
	"fixedbugs/issue23780.go": "stack frame too large (>1GB)", // a literal with 1<<30 elements, which is moved
}

// different are the programs that pass, and do not under control.
var different = map[string]string{
	"atomicload.go":            "a data race",
	"chan/powser1.go":          "a data race",
	"chan/powser2.go":          "a data race",
	"fixedbugs/issue13160.go":  "a data race",
	"fixedbugs/issue29362.go":  "a data race",
	"fixedbugs/issue29362b.go": "a data race",
	"fixedbugs/issue23017.go":  "m[2], *p = 42, 2 sets m[2] before it panics, which is left out: see known",
}

// known are those of the latter that end the process before a test begins.
var known = []string{"fixedbugs/issue23017.go"}

// program is one file of the test folder, which is a package of its own here.
type program struct {
	name string // of the file
	pkg  string
	runs bool
}

var (
	header  = regexp.MustCompile(`^// (run|compile)\n`)
	clause  = regexp.MustCompile(`(?m)^package (\w+)`)
	mainly  = regexp.MustCompile(`(?m)^func main\(\)`)
	leftOut = regexp.MustCompile(`import "C"|"go/build"|"os/exec"|"runtime/debug"|//go:build|(?m:^\s*(_ |\. |\w+ )?"\./)`)
	ends    = regexp.MustCompile(`(?s)func init\(\).*os\.Exit`)
	inInit  = regexp.MustCompile(`\b(p\d{4})\.init`)
	named   = regexp.MustCompile(`\bp\d{4}\b`)
)

// TestPrograms builds all programs under control, and runs those that are to be run, on one schedule or a few.
func TestPrograms(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds 1,400 packages")
	}
	dir, por := t.TempDir(), kit.Por(t)
	m := filepath.Join(dir, "m")
	all := compiling(t, m, write(t, m))
	t.Logf("%d programs", len(all))
	t.Run("build", func(t *testing.T) {
		tests(t, m, all, func(program) bool { return false })
		out, err := command(m, por, "test", "-check", "-c", "-o", filepath.Join(dir, "all.test"), ".")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		judge(t, all, string(out))
	})
	t.Run("run", func(t *testing.T) {
		all := slices.DeleteFunc(all, func(p program) bool { return !p.runs || slices.Contains(known, p.name) })
		run(t, m, dir, por, all)
	})
}

// judge holds warnings against those that are known.
func judge(t *testing.T, all []program, out string) {
	names := make(map[string]string)
	for _, p := range all {
		names[p.pkg] = p.name
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "por: ") {
			continue
		}
		name := names[named.FindString(line)]
		if seen[name] = true; warned[name] == "" || !strings.Contains(line, warned[name]) {
			t.Errorf("%s: %s", name, line)
		}
	}
	for name := range warned {
		if !seen[name] {
			t.Errorf("%s: no warning any more", name)
		}
	}
}

// run runs programs natively, and under control those that pass.
func run(t *testing.T, m, dir, por string, all []program) {
	tests(t, m, all, func(program) bool { return true })
	native, check := filepath.Join(dir, "native.test"), filepath.Join(dir, "check.test")
	for _, c := range [][]string{{"go", "test", "-vet=off", "-c", "-o", native, "."}, {por, "test", "-check", "-c", "-o", check, "."}} {
		if out, err := command(m, c...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Setenv("POR_CHECK_TIME", "100ms")
	t.Setenv("POR_CHECK_STEPS", "200000")
	t.Setenv("POR_CHECK_LEAKS", "allow")
	t.Setenv("POR_SAVE", "off")
	passed, failed := 0, make(map[string]bool)
	for _, p := range all {
		pattern := "^Test_" + p.pkg + "$"
		if _, err := command(m, native, "-test.run", pattern, "-test.timeout", "30s"); err != nil {
			continue
		}
		if out, err := command(m, check, "-test.run", pattern, "-test.timeout", "60s"); err == nil {
			passed++
		} else if failed[p.name] = true; different[p.name] == "" {
			t.Errorf("%s: %v\n%s", p.name, err, out)
		}
	}
	t.Logf("%d pass natively and under control, or cannot be explored there, which is said", passed)
	for name := range different {
		if !failed[name] && !slices.Contains(known, name) {
			t.Errorf("%s passes under control", name)
		}
	}
}

// write writes a module with a package for each program.
func write(t *testing.T, m string) (all []program) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "test")
	if _, err := os.Stat(root); err != nil {
		t.Skip("this Go has no test folder: ", err)
	}
	put := func(name, text string) {
		name = filepath.Join(m, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := string(b)
		what, pkg := header.FindStringSubmatch(text), clause.FindStringSubmatchIndex(text)
		if what == nil || pkg == nil || leftOut.MatchString(text) || ends.MatchString(text) {
			return nil
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		p := program{name: filepath.ToSlash(name), pkg: fmt.Sprintf("p%04d", len(all))}
		p.runs = what[1] == "run" && text[pkg[2]:pkg[3]] == "main" && mainly.MatchString(text)
		put(p.pkg+"/x.go", text[:pkg[2]]+p.pkg+text[pkg[3]:])
		if p.runs {
			put(p.pkg+"/run.go", "package "+p.pkg+"\n\nfunc Run() { main() }\n")
		}
		all = append(all, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	put("go.mod", "module example.org/programs\n\ngo 1.26.0\n")
	return all
}

// compiling leaves the programs that compile natively, each as a package beside the others, and those
// out that do something else than to wait for main to be called.
func compiling(t *testing.T, m string, all []program) []program {
	drop := func(bad []string) {
		all = slices.DeleteFunc(all, func(p program) bool {
			if !slices.Contains(bad, p.pkg) {
				return false
			}
			os.RemoveAll(filepath.Join(m, p.pkg))
			return true
		})
	}
	out, _ := command(m, "go", "list", "-e", "-f", "{{if or .Error .DepsErrors}}{{.Name}}{{end}}", "./...")
	drop(strings.Fields(string(out)))
	for range 10 {
		out, err := command(m, "go", "build", "./...")
		if err == nil {
			break
		}
		drop(named.FindAllString(string(out), -1))
	}
	for range 10 { // some panic in init, on purpose
		tests(t, m, all, func(p program) bool { return p.runs })
		out, _ := command(m, "go", "test", "-vet=off", "-run=^none$", ".")
		bad := inInit.FindStringSubmatch(string(out))
		if bad == nil {
			break
		}
		drop(bad[1:])
	}
	return all
}

// tests writes a test file that imports all programs, and has a test of each that is to run.
func tests(t *testing.T, m string, all []program, runs func(program) bool) {
	var imports, funcs strings.Builder
	for _, p := range all {
		blank := "_ "
		if runs(p) {
			blank = ""
			fmt.Fprintf(&funcs, "\nfunc Test_%s(t *testing.T) { %s.Run() }\n", p.pkg, p.pkg)
		}
		if blank == "" || !p.runs || !runs(p) {
			fmt.Fprintf(&imports, "\t%s\"example.org/programs/%s\"\n", blank, p.pkg)
		}
	}
	text := "package programs\n\nimport (\n\t\"testing\"\n" + imports.String() + ")\n\nvar _ testing.TB\n" + funcs.String()
	if err := os.WriteFile(filepath.Join(m, "all_test.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// command runs a command in a folder, and returns what it prints.
func command(dir string, words ...string) ([]byte, error) {
	cmd := exec.Command(words[0], words[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err := cmd.Run()
	return out.Bytes(), err
}
