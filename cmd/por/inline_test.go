package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/calls"
)

// inlineCode matches code inside of a sentence.
var inlineCode = regexp.MustCompile("`[^`\n]+`")

// fenced matches a block of code.
var fenced = regexp.MustCompile("(?ms)^```.*?^```$")

// speech is what the commands that sentences of pages name are held to.
type speech struct {
	home    string
	help    map[string]string // of each command of por
	goFlags string            // what the go command says of flags
	makes   string            // the Makefile
}

// TestInlineCommands checks the commands inside of sentences: there is such a command, it has these
// flags, and there are such files, targets and benchmarks. Blocks of commands are run by TestPages
// and TestShellBlocks.
func TestInlineCommands(t *testing.T) {
	home := filepath.Join("..", "..")
	s := speech{home: home, help: make(map[string]string)}
	for _, v := range porCommand.Verbs {
		_, s.help[v.Name], _ = calls.Call(porCommand, "help", v.Name)
	}
	for _, topic := range porCommand.Topics {
		s.help[topic.Name] = topic.Text()
	}
	for _, topic := range []string{"testflag", "build", "install", "get", "doc"} {
		out, err := exec.Command("go", "help", topic).Output()
		if err != nil {
			t.Fatal(err)
		}
		s.goFlags += string(out)
	}
	text, err := os.ReadFile(filepath.Join(home, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	s.makes = string(text)
	n := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(home, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range inlineCode.FindAllString(fenced.ReplaceAllString(string(text), ""), -1) {
				words := strings.Fields(strings.Trim(code, "`"))
				for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
					words = words[1:]
				}
				wrong, is := s.wrong(words)
				if is {
					n++
				}
				if wrong != "" {
					t.Errorf("%s: %s: %s", page, code, wrong)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d commands are found", n)
	}
	for _, x := range []string{"por chek", "por check -list -jsno", "go tset", "go test -runn X", "go run ./cmd/nothing", "go run ./cmd/porbench bench -tabel eager", "make nothing", "bash .ci/nothing",
		"go test -bench Nothing ./cmd/por", "-check.nothing=1", "-por.nothing"} {
		if wrong, is := s.wrong(strings.Fields(x)); wrong == "" || !is {
			t.Errorf("%s is found right", x)
		}
	}
}

// wrong says what is wrong with a command, "" if nothing is, and whether the words are a command
// that is known.
func (s *speech) wrong(words []string) (text string, is bool) {
	if len(words) == 0 {
		return "", false
	}
	switch first := words[0]; {
	case first == "por" && len(words) > 1 && words[1] != "schedule": // the first words of a file
		return s.wrongPor(words[1], words[2:]), true
	case strings.HasPrefix(first, "-check.") || strings.HasPrefix(first, "-por."):
		return s.wrongFlags(words, strings.Join(slices.Collect(maps.Values(s.help)), "\n")), true
	case first == "go" && len(words) > 1 && !strings.ContainsAny(words[1], "()[]"): // a statement
		return s.wrongGo(words[1], words[2:]), true
	case first == "make" && len(words) > 1:
		for _, target := range words[1:] {
			if !strings.Contains(target, "=") && !strings.Contains("\n"+s.makes, "\n"+target+":") {
				return "the Makefile has no " + target, true
			}
		}
		return "", true
	case first == "bash" && len(words) > 1:
		return s.missing(words[1]), true
	}
	return "", false
}

// wrongPor is wrong for a command of por.
func (s *speech) wrongPor(name string, args []string) string {
	if strings.HasPrefix(name, "-") {
		return ""
	}
	help, ok := s.help[name]
	if name == "help" {
		for _, topic := range args {
			if s.help[topic] == "" {
				return "no help on " + topic
			}
		}
		return ""
	}
	if !ok {
		return "there is no command " + name
	}
	return s.wrongFlags(args, help)
}

// wrongGo is wrong for a command of the go command.
func (s *speech) wrongGo(name string, args []string) string {
	if exec.Command("go", "help", name).Run() != nil {
		return "the go command has no " + name
	}
	var packages, benchmarks []string
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "./") && !strings.Contains(arg, "..."):
			if wrong := s.missing(arg); wrong != "" {
				return wrong
			}
			packages = append(packages, arg)
		case i > 0 && args[i-1] == "-bench" && arg != ".":
			benchmarks = append(benchmarks, arg)
		}
	}
	for _, b := range benchmarks {
		for _, p := range packages {
			files, _ := filepath.Glob(filepath.Join(s.home, p, "*_test.go"))
			if !slices.ContainsFunc(files, func(name string) bool {
				text, err := os.ReadFile(name)
				return err == nil && regexp.MustCompile(`(?m)^func Benchmark\w*`+b).Match(text)
			}) {
				return p + " has no benchmark " + b
			}
		}
	}
	switch {
	case name == "run" && len(packages) == 1:
		return s.wrongOwn(packages[0], args)
	case name == "test" || name == "build" || name == "install":
		return s.wrongFlags(args, s.help["check"])
	}
	return ""
}

// wrongOwn names a flag behind a program that its source does not have.
func (s *speech) wrongOwn(program string, args []string) string {
	files, _ := filepath.Glob(filepath.Join(s.home, program, "*.go"))
	source := ""
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			source += string(text)
		}
	}
	for _, arg := range args[slices.Index(args, program):] {
		if name, is := strings.CutPrefix(arg, "-"); is && !strings.Contains(source, strconv.Quote(name)) {
			return program + " has no flag -" + name
		}
	}
	return ""
}

// missing says that the repository or docs/example has no such file, "" if one of them has.
func (s *speech) missing(name string) string {
	for _, folder := range []string{"", "docs/example"} {
		if _, err := os.Stat(filepath.Join(s.home, folder, name)); err == nil {
			return ""
		}
	}
	return "there is no " + name
}

// wrongFlags names a flag of which neither the help nor the go command speaks, "" if there is none.
func (s *speech) wrongFlags(words []string, help string) string {
	for _, w := range words {
		if w == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimRight(w, ",.;"), "=")
		if !strings.HasPrefix(name, "-") || name == "-" || name == "-help" || name == "-l'" { // a part of -gcflags
			continue
		}
		if !regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).MatchString(help + s.goFlags) {
			return fmt.Sprintf("there is no flag %s", name)
		}
	}
	return ""
}
