// Command corpus runs the tests of published modules, as they are, natively and under
// por check, and prints a table of what came of them: README.md has it. In this
// folder,
//
//	go run . [-time D] [-limit D] [-keep DIR] [WORD...]
//
// goes through the modules of modules.txt, or those with paths that have one of the words. The go
// command fetches them; what cannot be had is said to be so.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	perTest = flag.Duration("time", 300*time.Millisecond, "how long a test function is explored")
	limit   = flag.Duration("limit", 5*time.Minute, "how long the tests of a module may take, natively and under control each, and how long building them")
	keep    = flag.String("keep", "", "a folder for what the commands print; what is there of a module is taken for its run")
)

// module is a line of modules.txt.
type module struct {
	path, version, topic string
	packages             []string // patterns
}

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	list, err := read("modules.txt", words)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	por := filepath.Join(temp, "por")
	if out, err := exec.Command("go", "build", "-o", por, "../../../cmd/por").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var sum row
	fmt.Println(heading())
	for _, m := range list {
		r, notes := m.run(por, temp)
		fmt.Println(r)
		sum.add(r)
		for _, n := range notes {
			fmt.Fprintln(os.Stderr, "-", n)
		}
	}
	fmt.Println(sum.total())
	return nil
}

// read reads the modules with paths that have one of the wanted words, all if there are none.
func read(name string, wanted []string) (list []module, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		m := module{packages: []string{"./..."}}
		path, rest, _ := strings.Cut(s.Text(), " ")
		m.path = path
		m.version, m.topic, _ = strings.Cut(rest, " ")
		words := strings.Fields(m.topic)
		if i := slices.IndexFunc(words, func(w string) bool { return w == "." || strings.HasPrefix(w, "./") }); i >= 0 {
			m.topic, m.packages = strings.Join(words[:i], " "), words[i:]
		}
		has := func(w string) bool { return strings.Contains(path, w) }
		if !strings.HasPrefix(path, "#") && m.version != "" && (len(wanted) == 0 || slices.ContainsFunc(wanted, has)) {
			list = append(list, m)
		}
	}
	return list, nil
}

// run runs the tests of a module, and returns its row, and what there is to say besides.
func (m module) run(por, temp string) (r row, notes []string) {
	r.module = m
	dir, err := m.copy(temp)
	if err != nil {
		r.builds = "cannot be had"
		return r, []string{fmt.Sprintf("%s: %v", m.path, err)}
	}
	defer os.RemoveAll(dir)
	tests := append([]string{"-json", "-count=1", "-run=^Test", "-timeout=" + limit.String()}, m.packages...)
	native := m.test("native", dir, "go", []string{"-vet=off"}, tests)
	if len(native.tests) == 0 {
		r.builds = "not natively"
		return r, []string{fmt.Sprintf("%s: %s; %s", m.path, native.problem(), native.ended())}
	}
	check := []string{"-check", "-check.time=" + perTest.String()}
	controlled := m.test("check", dir, por, check, tests)
	r.fill(native, controlled)
	return r, m.notes(native, controlled)
}

// copy puts the module into a directory of its own.
func (m module) copy(temp string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = temp // no module
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if json.Unmarshal(out, &info); info.Dir == "" {
		return "", fmt.Errorf("%v %s", err, info.Error)
	}
	dir := filepath.Join(temp, "module", filepath.Base(m.path))
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		return "", err
	}
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, os.ErrNotExist) { // from before there were modules
		return dir, os.WriteFile(mod, []byte("module "+m.path+"\n"), 0o666)
	}
	return dir, dropLocal(dir)
}

// dropLocal takes from a module what it replaces by folders beside it, which are not published: a
// module that requires it does not see that, either.
func dropLocal(dir string) error {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old struct{ Path, Version string }
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		old := strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@")
		if r.New.Version != "" || filepath.IsLocal(r.New.Path) {
			continue
		}
		cmd := exec.Command("go", "mod", "edit", "-dropreplace="+old)
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// notes are a line for each package that does not build under control, or is less under control than
// it should be, and for each test function that is not explored or fails.
func (m module) notes(native, controlled *results) (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, m.path+": "+fmt.Sprintf(format, args...)) }
	for _, w := range controlled.warnings {
		note("%s", w)
	}
	for _, p := range controlled.unbuilt {
		if !slices.Contains(native.unbuilt, p) {
			note("package %s does not build: %s", p, controlled.problem())
		}
	}
	for _, name := range native.order {
		was, is := native.tests[name], controlled.tests[name]
		if is != nil && is.action != "" && (!is.class().passes() || is.slow() != "") && (is.action != was.action || is.class() != skipped) {
			note("%s: natively %s, under control %s: %s", name, was.action, is.class(), is.headline())
		}
	}
	if controlled.stopped {
		note("takes longer than %v under control", *limit)
	}
	return notes
}
