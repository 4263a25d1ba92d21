package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gopor/gopor/instrument/build"
)

// Toolexec is called in place of a command of the toolchain, as the go command's
// -toolexec has it: args are the plan's file name, the command and its
// arguments. It returns the exit status.
func Toolexec(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "por: toolexec is for the go command to call")
		return 2
	}
	plan, command, err := args[0], args[1:], error(nil)
	if command[len(command)-1] != "-V=full" {
		switch strings.TrimSuffix(filepath.Base(command[0]), ".exe") {
		case "compile":
			command, err = compileCommand(command)
		case "link":
			command, err = linkCommand(plan, command)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "por:", err)
		return 1
	}
	return 0
}

// compileCommand returns the command that compiles the rewritten package, the
// given one if the package is not marked.
func compileCommand(command []string) ([]string, error) {
	c := parseCompile(command)
	if c.plan == "" {
		return command, nil
	}
	plan, err := build.ReadPlan(c.plan)
	if err != nil {
		return nil, err
	}
	if err := c.readConfig(plan); err != nil {
		return nil, err
	}
	if err := c.rewrite(); err != nil {
		return nil, err
	}
	return c.args, nil
}

// compile is a compile command under change.
type compile struct {
	args   []string // without the mark
	plan   string   // the mark's value
	config int      // index of importcfg's name in args
	out    string
	path   string
	lang   int      // index of the language's version in args, 0 if there is none
	files  []int    // indexes of the Go files in args
	cfg    *imports // importcfg
}

func parseCompile(command []string) *compile {
	c := &compile{args: command[:1:1]}
	for i := 1; i < len(command); i++ {
		arg := command[i]
		if v, ok := strings.CutPrefix(arg, build.Mark+"="); ok {
			c.plan = v
			continue
		}
		c.args = append(c.args, arg)
		at := len(c.args) - 1
		switch {
		case arg == "-importcfg":
			c.config = at + 1
		case arg == "-o":
			c.out = command[i+1]
		case arg == "-p":
			c.path = command[i+1]
		case strings.HasPrefix(arg, "-lang="):
			c.lang = at
		case strings.HasSuffix(arg, ".go") && !strings.HasPrefix(arg, "-"):
			c.files = append(c.files, at)
		}
	}
	return c
}

// readConfig adds to importcfg what rewritten code may import.
func (c *compile) readConfig(plan *build.Plan) (err error) {
	if c.cfg, err = readImports(c.args[c.config]); err != nil {
		return err
	}
	if err := c.cfg.add(plan); err != nil {
		return err
	}
	c.args[c.config] += ".gopor"
	return os.WriteFile(c.args[c.config], c.cfg.text, 0o666)
}

// oldestLang is the version of the language that rewritten code needs, since it
// calls generic functions, also with keys of maps that are interfaces. Versions
// before it differ from it in what they allow, not in what a program means.
const oldestLang = "go1.20"

// rewrite puts rewritten files in place of the originals. What the compiler
// would refuse is left to it.
func (c *compile) rewrite() error {
	var sources []Source
	for _, i := range c.files {
		text, err := os.ReadFile(c.args[i])
		if err != nil {
			return err
		}
		name, err := filepath.Abs(c.args[i])
		if err != nil {
			return err
		}
		sources = append(sources, Source{name, text})
	}
	lang := ""
	if c.lang > 0 {
		lang = strings.TrimPrefix(c.args[c.lang], "-lang=")
		if version.Compare(lang, oldestLang) < 0 {
			lang = oldestLang
			c.args[c.lang] = "-lang=" + lang
		}
	}
	from := newArchives(c.cfg.files, c.cfg.names)
	p, err := Load(c.path, lang, sources, from, types.SizesFor("gc", goarch()))
	if err != nil {
		return nil // the compiler's message is the better one
	}
	texts, refused := Rewrite(p)
	for _, r := range refused {
		fmt.Fprintf(os.Stderr, "por: warning: %v\n", r)
	}
	dir, err := os.MkdirTemp(filepath.Dir(c.out), "gopor")
	if err != nil {
		return err
	}
	for k, i := range c.files {
		if strings.HasPrefix(filepath.Base(c.args[i]), "_cgo_") {
			continue // has nothing of the user's, and directives that are allowed in a file of this name only
		}
		c.args[i] = filepath.Join(dir, fmt.Sprintf("%d_%s", k, filepath.Base(sources[k].Name)))
		if err := os.WriteFile(c.args[i], texts[k], 0o666); err != nil {
			return err
		}
	}
	return nil
}

func goarch() string {
	if v := os.Getenv("GOARCH"); v != "" {
		return v
	}
	return runtime.GOARCH
}

// instrumentedVar tells the program that it was built by this package.
const instrumentedVar = "github.com/gopor/gopor/sched.instrumented"

// linkCommand returns a link command that knows all archives of the plan.
func linkCommand(plan string, command []string) ([]string, error) {
	p, err := build.ReadPlan(plan)
	if err != nil {
		return nil, err
	}
	out := append(command[:1:1], "-X="+instrumentedVar+"="+filepath.Base(plan))
	command = append(out, command[1:]...)
	for i, arg := range command {
		if arg != "-importcfg" {
			continue
		}
		cfg, err := readImports(command[i+1])
		if err != nil {
			return nil, err
		}
		if err := cfg.add(&build.Plan{Archives: p.Archives}); err != nil {
			return nil, err
		}
		command[i+1] += ".gopor"
		if err := os.WriteFile(command[i+1], cfg.text, 0o666); err != nil {
			return nil, err
		}
	}
	return command, nil
}

// imports is an importcfg file of the toolchain.
type imports struct {
	text  []byte
	files map[string]string // archive by package path
	names map[string]string // package path by import path, where they differ
}

func readImports(name string) (*imports, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	cfg := &imports{text: text, files: make(map[string]string), names: make(map[string]string)}
	for line := range strings.Lines(string(text)) {
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		key, value, _ := strings.Cut(rest, "=")
		switch verb {
		case "packagefile":
			cfg.files[key] = value
		case "importmap":
			cfg.names[key] = value
		}
	}
	return cfg, nil
}

// add adds what the plan has and the file has not.
func (cfg *imports) add(p *build.Plan) error {
	b := bytes.NewBuffer(cfg.text)
	if n := len(cfg.text); n > 0 && cfg.text[n-1] != '\n' {
		b.WriteByte('\n')
	}
	for path, file := range p.Archives {
		if cfg.files[path] == "" {
			cfg.files[path] = file
			fmt.Fprintf(b, "packagefile %s=%s\n", path, file)
		}
	}
	for path, twin := range p.Twins {
		if as, ok := cfg.names[path]; ok {
			return fmt.Errorf("por: import %q is mapped to %q already", path, as)
		}
		cfg.names[path] = twin
		fmt.Fprintf(b, "importmap %s=%s\n", path, twin)
	}
	cfg.text = b.Bytes()
	return nil
}
