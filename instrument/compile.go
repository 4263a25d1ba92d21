package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/instrument/network"
	"github.com/gopor/gopor/internal/known"
)

// compile is a compile command of a marked package.
type compile struct {
	args   []string // without the mark
	plan   string   // the mark's value
	ours   bool     // it has the mark of a package of this module
	std    string   // the value of the mark of a package of the standard library
	divert string   // the value of the mark of a package that diverts output
	maps   bool     // it has the mark of package internal/runtime/maps

	standard bool // the package belongs to the standard library

	config int // index of importcfg's name in args
	out    string
	path   string
	lang   int   // index of the language version in args, or 0
	files  []int // indexes of the Go files in args
}

func parseCompile(command []string) *compile {
	c := &compile{args: command[:1:1]}
	for i := 1; i < len(command); i++ {
		arg := command[i]
		switch mark, v, _ := strings.Cut(arg, "="); mark {
		case build.Mark:
			c.plan = v
			continue
		case build.MarkOurs:
			c.ours = true
			continue
		case build.MarkStd:
			c.std = v
			continue
		case build.MarkDivert:
			c.divert = v
			continue
		case build.MarkMaps:
			c.maps = true
			continue
		}
		c.args = append(c.args, arg)
		at := len(c.args) - 1
		if strings.HasPrefix(arg, "-") {
			c.files = nil // the files are last; the value of a flag may end in .go, too
		}
		switch {
		case arg == "-importcfg":
			c.config = at + 1
		case arg == "-o":
			c.out = command[i+1]
		case arg == "-p":
			c.path = command[i+1]
		case arg == "-std":
			c.standard = true
		case strings.HasPrefix(arg, "-lang="):
			c.lang = at
		case strings.HasSuffix(arg, ".go"):
			c.files = append(c.files, at)
		}
	}
	return c
}

// settle replaces the mark of a package of the standard library by the right one. The go
// command may have given it another mark by its import path: see the flags of package build.
func (c *compile) settle() error {
	if !c.standard && c.std != "" {
		return fmt.Errorf("por: package %s cannot be brought under control: neither go.mod nor go.sum names a module that it may be of; run go mod tidy", c.path)
	}
	if !c.standard || c.plan == "" && c.std == "" || c.plan != "" && build.IsControlled(c.path) {
		return nil
	}
	plan := c.plan
	if plan != "" {
		p, err := build.ReadPlan(plan)
		if err != nil {
			return err
		}
		c.std = p.Std
	}
	std := c.std
	c.plan, c.std = "", ""
	switch {
	case build.IsDiverting(c.path):
		c.divert = std
	case build.IsAnnouncing(c.path):
		c.std = std
	}
	return nil
}

// A degree says how much of a package is under control. A package that go build compiles is
// compiled here too: if one degree fails, the next one is tried.
type degree uint8

const (
	whole         degree = iota
	withoutMemory        // accesses of memory are not announced
	twinned              // the text is the source, but its imports mean the twins
	bare                 // the text is the source, and notes that it is not under control
	untouched            // the text is the source
)

// lacks says what a package of a degree lacks.
func (d degree) lacks() string {
	return [...]string{"", "whose accesses of memory are not seen", "which is not under control but for what it calls",
		"which is not under control", "which is not under control"}[d]
}

// failed is the exit status of the compiler if it refuses a package.
const failed = 2

// run compiles the package, and returns the exit status. The compiler reports the user's own
// mistakes on the unchanged package.
func (c *compile) run() int {
	plan, err := build.ReadPlan(c.plan)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	reason := ""
	for d := whole; ; d++ {
		var out bytes.Buffer
		args, problem := c.args, error(nil)
		if d < untouched {
			args, problem = c.prepare(plan, d, reason, &out)
		}
		status := failed
		if problem == nil {
			status = execute(args, &out, &out)
		} else {
			fmt.Fprintln(&out, problem)
		}
		if status == failed && d < untouched {
			if message, _, _ := strings.Cut(out.String(), "\n"); reason == "" {
				reason = message
			}
			continue
		}
		if status == 0 && d > whole {
			fmt.Fprintf(os.Stderr, "por: warning: %s; %s\n", c.excuse(d, reason), blame(plan.Unknown))
		}
		os.Stdout.Write(out.Bytes())
		return status
	}
}

// blame says why the rewritten package does not compile.
func blame(unknown string) string {
	if unknown != "" {
		return build.NotKnown(unknown)
	}
	return "that is a mistake of gopor's"
}

// coreOfGo are packages of the standard library without which a program under control behaves
// differently. If one does not compile with a version of Go that gopor does not know, the
// version is refused.
var coreOfGo = []string{"os", "reflect", "time"}

// excuse says to which degree the package is under control, and why.
func (c *compile) excuse(d degree, reason string) string {
	return fmt.Sprintf("package %s, %s, since its rewritten text does not compile: %s", c.path, d.lacks(), reason)
}

// prepare returns the command that compiles the package to a degree. The reason is why it is
// not whole. Warnings go to out.
func (c *compile) prepare(plan *build.Plan, d degree, reason string, out *bytes.Buffer) ([]string, error) {
	args, cfg, sources, err := c.begin(plan, d)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	if d <= withoutMemory {
		if sources, err = c.withNetwork(sources); err != nil {
			return nil, err
		}
		lang := ""
		if c.lang > 0 {
			lang = c.language()
			args[c.lang] = "-lang=" + lang
		}
		texts, err = c.rewritten(sources, lang, cfg, d, reason, out)
	} else {
		texts, err = asWritten(sources, c.excuse(d, reason))
	}
	if err != nil {
		return nil, err
	}
	args, err = c.writeAll(args, sources, texts)
	if d == whole {
		args = announcing(args)
	}
	return args, err
}

// withNetwork returns the sources with the sockets of executions if the package is one of the
// standard library that has them.
func (c *compile) withNetwork(sources []Source) ([]Source, error) {
	if c.standard && network.Statements[c.path] != nil && len(sources) > 0 {
		return withNetwork(c.path, sources)
	}
	return sources, nil
}

// begin returns the command that compiles the package, with an importcfg of its own that has
// the imports of rewritten code, and the sources.
func (c *compile) begin(plan *build.Plan, d degree) (args []string, cfg *imports, sources []Source, err error) {
	args = slices.Clone(c.args)
	if cfg, err = c.readConfig(plan, d); err != nil {
		return nil, nil, nil, err
	}
	args[c.config] += ".gopor"
	if err := os.WriteFile(args[c.config], cfg.text, 0o666); err != nil {
		return nil, nil, nil, err
	}
	sources, err = c.sources()
	return args, cfg, sources, err
}

// announcing returns the compile command that announces accesses of memory. It turns off the
// pointer checks that come with -race.
func announcing(args []string) []string {
	out := append(args[:1:1], "-race", "-d=checkptr=0")
	for _, arg := range args[1:] {
		if !strings.HasPrefix(arg, "-c=") { // conflicts with -race
			out = append(out, arg)
		}
	}
	return out
}

// preparing returns the command that compiles a package of the standard library by a plan. The
// reason is why an earlier command failed.
type preparing func(plan *build.Plan, reason string) ([]string, error)

// runStd compiles a package of the standard library by the plan with a name, if any, and
// returns the exit status. It tries the given functions in order. If all fail it compiles the
// package unchanged; lacks says what it lacks then, with %s for its path.
func (c *compile) runStd(plan, lacks string, prepare ...preparing) int {
	p := new(build.Plan)
	if plan != "" {
		var err error
		if p, err = build.ReadPlan(plan); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	reason := ""
	for k := 0; ; k++ {
		var out bytes.Buffer
		args, problem := c.args, error(nil)
		if k < len(prepare) {
			args, problem = prepareBy(p, reason, prepare[k])
		}
		status := failed
		if problem == nil {
			status = execute(args, &out, &out)
		} else {
			fmt.Fprintln(&out, problem)
		}
		if status == failed && k < len(prepare) {
			if message, _, _ := strings.Cut(out.String(), "\n"); reason == "" {
				reason = message
			}
			continue
		}
		if k == len(prepare) && p.Unknown != "" && slices.Contains(coreOfGo, c.path) {
			fmt.Fprintf(os.Stderr, "por: package %s does not take the rewriting: %s; %s\n", c.path, reason, blame(p.Unknown))
			return failed
		}
		if k > 0 {
			fmt.Fprintf(os.Stderr, "por: warning: "+lacks+": %s; %s\n", c.path, reason, blame(p.Unknown))
		}
		os.Stdout.Write(out.Bytes())
		return status
	}
}

// prepareBy returns the command that prepare makes by a plan, which it may change. A panic of a
// rewriter counts as a failure to compile.
func prepareBy(plan *build.Plan, reason string, prepare preparing) (args []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the rewriter fails: %v", r)
		}
	}()
	p := *plan
	return prepare(&p, reason)
}

// announced is for a package that announces its accesses of memory.
func (c *compile) announced(plan *build.Plan, _ string) ([]string, error) {
	if names := build.Clocked()[c.path]; names != nil {
		return c.rewritingSome(plan, names, tellTime)
	}
	args, p, sources, err := c.load(plan)
	if err != nil {
		return nil, err
	}
	texts, _ := rewriteBy([]rewriter{announceMemory, announceReflect, detachLog, keepRegistries, hushSome, tellTime, touchKept, drawSeeds}, p)
	err = c.write(args, sources, texts) // write changes args
	return announcing(args), err
}

// load is begin, but returns the package in place of its importcfg.
func (c *compile) load(plan *build.Plan) (args []string, p *Package, sources []Source, err error) {
	args, cfg, sources, err := c.begin(plan, whole)
	if err != nil {
		return nil, nil, nil, err
	}
	p, err = Load(c.path, "", sources, newArchives(cfg.files, cfg.names), types.SizesFor("gc", goarch()))
	return args, p, sources, err
}

// diverting is for packages os and testing, which divert output to executions.
func (c *compile) diverting(plan *build.Plan, _ string) ([]string, error) {
	return c.withoutTypes(plan, func(f *File) []byte { return f.located(divert.Output(c.path, &f.File)) })
}

// withoutTypes returns the command for a package that is rewritten without its types. The function
// rewritten returns the new text of a file.
func (c *compile) withoutTypes(plan *build.Plan, rewritten func(*File) []byte) ([]string, error) {
	plan.Twins = nil
	args, _, sources, err := c.begin(plan, whole)
	if err != nil {
		return nil, err
	}
	files, err := parse(token.NewFileSet(), sources)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, f := range files {
		texts = append(texts, rewritten(f))
	}
	return args, c.write(args, sources, texts)
}

// rewritingSome returns the command for a package of which the named files are rewritten by
// rewriters.
func (c *compile) rewritingSome(plan *build.Plan, names []string, rewriters ...rewriter) ([]string, error) {
	plan.Twins = nil
	args, p, sources, err := c.load(plan)
	if err != nil {
		return nil, err
	}
	return args, c.write(args, sources, rewriteSome(p, names, rewriters))
}

// runOurs compiles a package of this module, and returns the exit status. No function of it may
// announce accesses of memory, wherever it is inlined or instantiated.
func (c *compile) runOurs(plan string) int {
	args, texts, sources, err := c.ownText(plan)
	if err == nil {
		err = c.write(args, sources, texts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if c.path == "main" {
		fmt.Fprintf(os.Stderr, "por: warning: the tests of %s are not under control: gopor is made of that package\n",
			strings.TrimSuffix(os.Getenv("TOOLEXEC_IMPORTPATH"), ".test"))
	}
	if !build.Inlined(c.path) && !slices.Contains(args, "-l") {
		args = slices.Insert(args, 1, "-l")
	}
	return become(args)
}

// ownText returns the command that compiles a package of this module, and its text.
func (c *compile) ownText(name string) (args []string, texts [][]byte, sources []Source, err error) {
	args = slices.Clone(c.args)
	if c.path != "main" {
		sources, err = c.sources()
	} else if plan, e := build.ReadPlan(name); e != nil {
		err = e
	} else {
		args, _, sources, err = c.begin(plan, bare)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	files, err := parse(token.NewFileSet(), sources)
	if err != nil {
		return args, asRead(sources), sources, nil // the compiler reports it, too
	}
	for _, f := range files {
		for _, d := range f.AST.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				f.hush(d)
			}
		}
		text := f.Result()
		// A test binary has to link the functions that the standard library calls.
		if c.path == "main" {
			at := f.Offset(f.AST.Name.End())
			text = []byte(string(text[:at]) + "; import _ " + strconv.Quote(Native) + string(text[at:]))
		}
		texts = append(texts, f.located(text))
	}
	return args, texts, sources, nil
}

// asRead returns the texts of sources.
func asRead(sources []Source) (texts [][]byte) {
	for _, s := range sources {
		texts = append(texts, s.Text)
	}
	return texts
}

// hush makes the compiler announce no accesses of memory of a function.
func (f *File) hush(d *ast.FuncDecl) {
	at := f.Position(d.Type.Func)
	f.Add(edit.Before, d.Type.Func, d.End(), edit.Literal(fmt.Sprintf("//go:norace\n/*line :%d:%d*/", at.Line, at.Column)))
}

// isHushed reports whether the compiler announces no accesses in a function of the standard
// library. The functions of package time that format a date write different bytes in a
// different order, depending on the zeros at its end. And the date of package log and the like
// is not the execution's. Where data races are explored, every tenth execution would differ. Those
// of package net only use the fields of sockets, which never change, and addresses that the package
// has made.
func (f *File) isHushed(pkg string, d *ast.FuncDecl) bool {
	name := d.Name.Name
	if d.Recv != nil {
		name = strings.TrimPrefix(f.Source(d.Recv.List[0].Type), "*") + "." + name
	}
	return known.Is("hush", pkg+"."+name)
}

// hushSome hushes the functions of a package that isHushed selects.
func hushSome(r *rewriting) {
	for _, d := range r.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && r.isHushed(r.Path, d) {
			r.hush(d)
		}
	}
}

// readConfig returns the importcfg with the imports of rewritten code.
func (c *compile) readConfig(plan *build.Plan, d degree) (*imports, error) {
	cfg, err := readImports(c.args[c.config])
	if err != nil {
		return nil, err
	}
	p := *plan
	if d >= bare {
		p.Twins = nil
	}
	return cfg, cfg.add(&p)
}

// sources returns the files of the package.
func (c *compile) sources() (list []Source, err error) {
	for _, i := range c.files {
		text, err := os.ReadFile(c.args[i])
		if err != nil {
			return nil, err
		}
		name, err := filepath.Abs(c.args[i])
		if err != nil {
			return nil, err
		}
		list = append(list, Source{name, text})
	}
	return list, nil
}

// oldestLang is the oldest version of the language that rewritten code can have. It calls
// generic functions, also with map keys that are interfaces. Older versions differ in what they
// allow, not in the meaning of a program.
const oldestLang = "go1.20"

// language returns the version of the language for rewritten text.
func (c *compile) language() string {
	lang := strings.TrimPrefix(c.args[c.lang], "-lang=")
	if version.Compare(lang, oldestLang) < 0 {
		return oldestLang
	}
	return lang
}

// rewritten returns the rewritten text of the files. A panic of a rewriter counts as a failure
// to compile.
func (c *compile) rewritten(sources []Source, lang string, cfg *imports, d degree, reason string, out *bytes.Buffer) (texts [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the rewriter fails: %v", r)
		}
	}()
	p, err := Load(c.path, lang, sources, newArchives(cfg.files, cfg.names), types.SizesFor("gc", goarch()))
	if err != nil {
		return nil, err
	}
	var refused []*Refusal
	if d == whole {
		texts, refused = Rewrite(p)
	} else {
		texts, refused = rewriteWithout(p, c.excuse(d, reason))
	}
	for _, r := range refused {
		fmt.Fprintf(out, "por: warning: %v\n", r)
	}
	return texts, nil
}

// writeAll is write for texts of which the last may be files that the command does not have. It
// returns the command with these.
func (c *compile) writeAll(args []string, sources []Source, texts [][]byte) ([]string, error) {
	n := min(len(c.files), len(texts))
	if err := c.write(args, sources[:n], texts[:n]); err != nil {
		return nil, err
	}
	for i := n; i < len(texts); i++ {
		name := filepath.Join(filepath.Dir(c.out), "gopor", filepath.Base(sources[i].Name))
		if err := os.WriteFile(name, texts[i], 0o666); err != nil {
			return nil, err
		}
		args = append(args, name)
	}
	return args, nil
}

// write replaces the files of a command by texts.
func (c *compile) write(args []string, sources []Source, texts [][]byte) error {
	// This folder is the go command's own for this command. The go command trims its name from
	// positions. With a constant name below it, the result is the same every time.
	dir := filepath.Join(filepath.Dir(c.out), "gopor")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for k, i := range c.files {
		if strings.HasPrefix(filepath.Base(args[i]), "_cgo_") {
			// It has no code of the user's, and directives that are allowed only in a file of
			// this name.
			continue
		}
		args[i] = filepath.Join(dir, fmt.Sprintf("%d_%s", k, filepath.Base(sources[k].Name)))
		if err := os.WriteFile(args[i], texts[k], 0o666); err != nil {
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
