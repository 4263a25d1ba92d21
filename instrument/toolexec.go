package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/instrument/divert"
)

// Toolexec is called in place of a command of the toolchain, by the go command's flag
// -toolexec. The args are the plan's file name, the command and its arguments. It returns the
// exit status.
func Toolexec(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "por: toolexec is for the go command to call")
		return 2
	}
	plan, command := args[0], args[1:]
	if command[len(command)-1] == "-V=full" {
		return execute(command, os.Stdout, os.Stderr)
	}
	switch strings.TrimSuffix(filepath.Base(command[0]), ".exe") {
	case "compile":
		c := parseCompile(command)
		if err := c.settle(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		switch {
		case c.plan != "":
			return c.run()
		case c.std != "":
			return c.runStd(filepath.Join(filepath.Dir(plan), c.std), "the accesses of memory by package %s are not seen", c.announced)
		case c.divert != "":
			return c.runStd(filepath.Join(filepath.Dir(plan), c.divert), "what executions write by package %s is not kept apart", c.diverting)
		case c.maps:
			return c.runStd("", "the order of maps in the standard library is not kept: package %s is as ever", c.ordering)
		case c.ours:
			return c.runOurs(plan)
		default:
			command = c.args // the mark may be superfluous
		}
	case "link":
		var err error
		if command, err = linkCommand(plan, command); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return become(command)
}

// execute runs a command and returns its exit status, -1 if it was killed.
func execute(command []string, stdout, stderr io.Writer) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(stderr, "por:", err)
		return 1
	}
	return 0
}

// instrumentedVar tells the program that this package has built it.
const instrumentedVar = "github.com/gopor/gopor/internal/hook.instrumented"

// unknownVar tells the program the version of Go, if gopor does not know that version.
const unknownVar = "github.com/gopor/gopor/internal/explore.unknownRelease"

// controlledVar tells the program which packages of the standard library in it are under control,
// with commas between them.
const controlledVar = "github.com/gopor/gopor/sched/exec.controlled"

// linkCommand returns a link command that has all archives of the plan.
func linkCommand(plan string, command []string) ([]string, error) {
	p, err := build.ReadPlan(plan)
	if err != nil {
		return nil, err
	}
	out := append(command[:1:1], "-X="+instrumentedVar+"="+filepath.Base(plan))
	if p.Unknown != "" {
		out = append(out, "-X="+unknownVar+"="+p.Unknown)
	}
	command = allowStale(append(out, command[1:]...))
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
		cfg.exchange(mapsPackage, p.Maps)
		command[i+1] += ".gopor"
		if err := os.WriteFile(command[i+1], cfg.text, 0o666); err != nil {
			return nil, err
		}
		if list := cfg.controlled(); list != "" {
			command = append([]string{command[0], "-X=" + controlledVar + "=" + list}, command[1:]...)
		}
		return command, nil
	}
	return command, nil
}

// controlled returns the packages of the standard library in the file that are under control, with
// commas between them.
func (cfg *imports) controlled() string {
	var list []string
	for path := range cfg.files {
		if build.IsControlled(path) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// allowStale makes the runtime accept invalid pointers on stacks (GODEBUG=invalidptr=0). Where
// the compiler announces an access of memory, a variable may count as live before it was
// written. The compiler relies on the functions of the race detector not to grow the stack, and
// not to be a point at which a goroutine stops. Those of package sched/native do both.
func allowStale(command []string) []string {
	const flag, setting = "-X=runtime.godebugDefault=", "invalidptr=0"
	for i, arg := range command {
		if settings, ok := strings.CutPrefix(arg, flag); ok {
			command[i] = flag + settings + "," + setting
			return command
		}
	}
	return append(command[:1:1], append([]string{flag + setting}, command[1:]...)...)
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

// mapsPackage is the package with an archive that is exchanged.
const mapsPackage = "internal/runtime/maps"

// exchange replaces the archive of a package in the file by another one, if the two look the
// same to other packages.
func (cfg *imports) exchange(path, archive string) {
	usual := cfg.files[path]
	if usual == "" || cfg.files[divert.Live] == "" || !sameForOthers(usual, archive) {
		return
	}
	cfg.files[path] = archive
	cfg.text = bytes.Replace(cfg.text, []byte("packagefile "+path+"="+usual+"\n"), []byte("packagefile "+path+"="+archive+"\n"), 1)
}

// add adds the archives and twins of the plan that the file has not.
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
