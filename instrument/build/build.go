package build

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/gopor/gopor"

// runtimePackages are linked into instrumented binaries and are not rewritten
// themselves. Their patterns are those of -gcflags.
var runtimePackages = []string{"por", "por/testing/...", "sched", "sched/...", "bpor", "unfold", "irs", "instrument/...", "internal/...", "cmd/..."}

// rarelyRun are those of them in which little of the time of an execution is spent: to inline functions in them takes a
// third of the time for which they are compiled, and makes a search faster by some two percent.
var rarelyRun = []string{"por", "por/testing/...", "bpor", "unfold", "instrument/...", "internal/checkflags", "internal/environ",
	"internal/estimate", "internal/expr", "internal/format", "internal/guard", "internal/minimise", "internal/naming", "internal/natively", "internal/record", "internal/replay", "internal/saved", "internal/share", "internal/terminal", "internal/testctx", "internal/trial"}

// Build is a go command whose compilations go through the tool.
type Build struct {
	Dir   string   // in which the go command is run
	Env   []string // of the go command; nil for that of this process
	Flags []string // such as -race or -tags=x, as far as compiled packages depend on them
	// Gcflags has the values of the user's -gcflags, which are not among Flags.
	Gcflags []string
	// Coverpkg has the patterns of packages whose coverage is wanted, if any.
	Coverpkg string
	// Debugged says that the binary has what debuggers need of all packages: to compile that takes
	// about a tenth of the time for those of this module, and those of the standard library that are marked.
	Debugged bool
	// Tool is the command line that performs a command of the toolchain, before
	// the plan's name; ToolID identifies its content.
	Tool   []string
	ToolID string
	// ToolIsSelf says that the tool is this program. If another toolchain than the go command's has
	// compiled that, the tool is built from its source.
	ToolIsSelf bool
	// Home is the folder of this module, for a Dir whose module does not know it.
	Home string

	plans, plan, stdPlan string   // plans is the folder of the other two
	goRelease            string   // see [Build.release]
	environment          []string // the values of the settled variables
	seenHome, seenStd    string   // see [Build.look]
	foreign              bool     // seenHome is Home, which Dir's module does not know
}

// goCommand returns a go command.
func (b *Build) goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	return cmd
}

// output runs a command and returns what it prints. Its error holds what the
// command had to say.
func output(cmd *exec.Cmd) (string, error) {
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("the go command is not found, and is needed to build the instrumented test binary")
	}
	if err != nil {
		text := strings.TrimSpace(problems.String())
		if text == "" {
			text = err.Error()
		}
		return "", fmt.Errorf("%s: %s", strings.Join(cmd.Args[:min(3, len(cmd.Args))], " "), text)
	}
	return out.String(), nil
}

// Prepare compiles what rewritten code needs, in the user's own module if that
// knows this one, and returns the flags that make a go command use the tool.
// The twins are import paths of the standard library that have one. What an earlier build
// like this one has compiled is used again.
func (b *Build) Prepare(twins []string) ([]string, error) {
	if err := b.look(); err != nil {
		return nil, err
	}
	if err := b.fitTool(); err != nil {
		return nil, err
	}
	if err := b.checkCover(); err != nil {
		return nil, err
	}
	plan := &Plan{Archives: map[string]string{}, Twins: map[string]string{}, Tool: b.ToolID, Unknown: b.Unknown()}
	for _, path := range twins {
		plan.Twins[path] = twin(path)
	}
	cache, err := Cache()
	if err != nil {
		return nil, err
	}
	b.plans = filepath.Join(cache, "plans")
	name, err := b.preparedName(plan)
	if err != nil {
		return nil, err
	}
	if name != "" && b.recall(name) {
		return b.flags(), nil
	}
	if err := b.fits(b.prepare(plan)); err != nil {
		return nil, err
	}
	if name != "" {
		if err := b.remember(name); err != nil {
			return nil, err
		}
	}
	return b.flags(), nil
}

// prepare compiles what a plan's code needs and saves the plan.
func (b *Build) prepare(plan *Plan) error {
	if err := b.prepareStd(); err != nil {
		return err
	}
	mapsDone := make(chan error, 1)
	go func() { mapsDone <- b.prepareMaps(plan) }()
	wanted := append([]string{module + "/sched/native"}, forStd...)
	text, err := b.compile(append(wanted, slices.Sorted(maps.Values(plan.Twins))...))
	if err = cmp.Or(<-mapsDone, err); err != nil {
		return err
	}
	plan.add(text)
	plan.Std = filepath.Base(b.stdPlan)
	b.plan, err = plan.save(b.plans)
	return err
}

// checkCover refuses to cover what is compiled before the go command compiles
// the user's packages.
func (b *Build) checkCover() error {
	patterns := b.Coverpkg
	for _, f := range strings.Fields(b.setting("GOFLAGS")) {
		if name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "coverpkg" && patterns == "" {
			patterns = value
		}
	}
	if patterns == "" {
		return nil
	}
	text, err := b.list(append([]string{"-f", "{{.Standard}} {{.ImportPath}}", "--"}, strings.Split(patterns, ",")...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		standard, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if standard == "true" || isOurs(path) {
			return fmt.Errorf("-coverpkg=%s includes %s: neither the standard library nor gopor can be covered in code under control; name packages of your own", patterns, path)
		}
	}
	return nil
}

// isOurs reports whether a package is a part of this module that stays as it is.
func isOurs(path string) bool {
	rest, ok := strings.CutPrefix(path, module+"/")
	return ok && !strings.HasPrefix(rest, "examples/")
}

// twin returns the import path of a package's twin. That of package testing
// explores, which no part of package sched does, and others have to do with it.
func twin(path string) string {
	if path == "testing" || strings.HasPrefix(path, "testing/") && path != "testing/quick" {
		return module + "/por/" + path
	}
	return module + "/sched/std/" + path
}

// list returns the output of go list for the build's flags.
func (b *Build) list(args ...string) (string, error) {
	return output(b.goCommand(slices.Concat([]string{"list"}, b.Flags, args)...))
}

// compile compiles packages of this module and returns a line for each of them
// and their dependencies: its path and its archive. They are compiled as for
// [Build.flags], since the user's packages may import some of them too.
func (b *Build) compile(packages []string) (string, error) {
	args := []string{"-export", "-cover=false", // whatever GOFLAGS has: these are none of the user's
		"-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}", "-gcflags=all=" + b.gcflagsOfAll()}
	args = append(append(args, b.marksOfOthers()...), b.toolexec(filepath.Join(b.plans, "none")))
	if !b.foreign {
		return b.list(append(args, packages...)...)
	}
	cmd := b.goCommand(slices.Concat([]string{"list"}, ownFlags(b.Flags), args, packages)...)
	b.atHome(cmd, b.seenHome)
	return output(cmd)
}

// flags returns the flags that mark packages and name the tool.
func (b *Build) flags() []string {
	if b.namesOnly() {
		return b.flagsByName()
	}
	mark := quote(Mark + "=" + b.plan)
	flags := []string{"-gcflags=all=" + mark}
	for _, f := range b.Gcflags {
		pattern, rest := "", f
		if !strings.HasPrefix(f, "-") {
			pattern, rest, _ = strings.Cut(f, "=")
			pattern += "="
		}
		flags = append(flags, "-gcflags="+pattern+strings.TrimSpace(mark+" "+rest))
	}
	flags = append(flags, b.marksOfOthers()...)
	all := b.gcflagsOfAll()
	for _, p := range controlled {
		flags = append(flags, gcflags(b.std(p), mark, all))
	}
	for _, p := range slices.Sorted(maps.Keys(Some)) {
		flags = append(flags, gcflags(b.std(p), quote(MarkSome+"="+b.plan), all))
	}
	return append(flags, b.toolexec(b.plan))
}

// marksOfOthers returns the flags that mark the packages that are not rewritten. What no other
// build has a use for lacks what debuggers need, unless there is one.
func (b *Build) marksOfOthers() []string {
	if b.namesOnly() {
		return append(b.marksOfStd(), b.marksOfOurs()...)
	}
	all := b.gcflagsOfAll()
	flags := []string{"-gcflags=std=" + all}
	rest := all
	if !b.Debugged {
		rest += " -dwarf=false"
	}
	if b.stdPlan != "" {
		for _, p := range announcing {
			flags = append(flags, gcflags(b.std(p), MarkStd+"="+filepath.Base(b.stdPlan), rest))
		}
		for _, p := range diverting {
			flags = append(flags, gcflags(b.std(p), MarkDivert+"="+filepath.Base(b.stdPlan), rest))
		}
	}
	ours := MarkOurs + "=" + b.ToolID
	for _, p := range runtimePackages {
		flags = append(flags, gcflags(b.own(p), ours, rest))
	}
	for _, p := range rarelyRun {
		flags = append(flags, gcflags(b.own(p), ours, rest+" -l"))
	}
	return append(flags, gcflags(judging, ours, rest))
}

// gcflags returns a -gcflags.
func gcflags(packages, mark, rest string) string {
	return "-gcflags=" + packages + "=" + mark + strings.TrimRight(" "+strings.TrimSpace(rest), " ")
}

// judging is what package por uses of another module. It is compiled before the user's packages
// are, with package por, for por test -check, so it has to stay the same when they are.
const judging = "github.com/anishathalye/porcupine"

// toolexec returns the flag that names the tool.
func (b *Build) toolexec(plan string) string {
	var words []string
	for _, w := range append(b.Tool[:len(b.Tool):len(b.Tool)], plan) {
		words = append(words, quote(w))
	}
	return "-toolexec=" + strings.Join(words, " ")
}

// gcflagsOfAll returns the -gcflags that the user wants of every package.
func (b *Build) gcflagsOfAll() (all string) {
	for _, f := range b.Gcflags {
		if rest, ok := strings.CutPrefix(f, "all="); ok {
			all = rest
		}
	}
	return all
}

// quote quotes a word as the go command splits flags.
func quote(w string) string {
	if !strings.ContainsAny(w, " \t\n'\"") {
		return w
	}
	if !strings.Contains(w, "'") {
		return "'" + w + "'"
	}
	return `"` + w + `"`
}

// Mark is the flag of a compile command that says that the package is to be
// rewritten; its value is the name of the plan's file.
const Mark = "-gopor"

// MarkOurs is that of a package of this module which is not to be rewritten, but may have
// functions inlined into those that are. Its value identifies the tool.
const MarkOurs = "-gopor-ours"

// MarkStd is that of a package of the standard library that announces accesses of memory;
// its value is the name of a plan's file, which lies beside that of the command: so what
// is compiled can be used whatever folder that is.
const MarkStd = "-gopor-std"

// MarkDivert is that of a package of the standard library by which output leaves the
// process; its value is as that of MarkStd.
const MarkDivert = "-gopor-divert"

// MarkSome is that of a package of the standard library of which some files are under
// control; its value is the name of the plan's file.
const MarkSome = "-gopor-some"

// MarkMaps is that of package internal/runtime/maps, which gives maps their order; its value
// identifies the tool.
const MarkMaps = "-gopor-maps"

// Environ returns the environment with a variable set.
func Environ(env []string, name, value string) []string {
	if env == nil {
		env = os.Environ()
	}
	return append(env[:len(env):len(env)], name+"="+value)
}
