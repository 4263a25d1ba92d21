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

// runtimePackages are linked into instrumented binaries and are not rewritten themselves. They
// are patterns as for -gcflags.
var runtimePackages = []string{"por", "por/engine", "por/history", "por/report", "por/testing/...", "sched", "sched/...", "bpor", "unfold", "irs", "instrument/...", "internal/...", "cmd/..."}

// rarelyRun are those of runtimePackages that take little of the time of an execution. Inlining
// in them takes a third of their compile time, and makes a search only some two percent faster.
var rarelyRun = []string{"por", "por/engine", "por/history", "por/report", "por/testing/...", "bpor", "unfold", "instrument/...", "internal/check", "internal/checkflags", "internal/environ",
	"internal/estimate", "internal/explore", "internal/expr", "internal/format", "internal/guard", "internal/minimise", "internal/naming", "internal/natively", "internal/putback", "internal/record", "internal/replay", "internal/saved", "internal/share", "internal/terminal", "internal/testctx", "internal/trial", "internal/tuning", "internal/written"}

// Build is a go command that runs its compilations through the tool.
type Build struct { // where the go command is run
	Dir   string   // in which the go command is run
	Env   []string // of the go command; nil for that of this process
	Flags []string // flags on which compiled packages depend, such as -race or -tags=x
	// Gcflags has the values of the user's -gcflags, which Flags does not have.
	Gcflags []string
	// Coverpkg has the patterns of packages of which coverage is wanted, if any.
	Coverpkg string
	// Debugged keeps debug information in all packages. Compiling it takes about a tenth of the
	// time for the packages of this module and the marked ones of the standard library.
	Debugged bool
	// Tool is the command line that performs a command of the toolchain; the plan's name is
	// appended. ToolID identifies the content of the tool. If Tool is nil, [Build.Prepare]
	// builds the tool from the source of this module.
	Tool   []string
	ToolID string
	// Home is the folder of this module. It is used if the module in Dir does not know this
	// one.
	Home string

	plans, plan, stdPlan string   // plans is the folder of plan and stdPlan
	goRelease            string   // see [Build.release]
	environment          []string // the values of the variables in settled
	// The folders of this module and of the standard library: see [Build.look].
	seenHome, seenStd string
	foreign           bool // seenHome is Home, since Dir's module does not know this one
}

// goCommand returns a command that runs go with args.
func (b *Build) goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	return cmd
}

// output runs a command and returns its standard output. Its error has the standard error.
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

// Prepare compiles the packages that rewritten code needs, in the user's own module if that
// knows this one. It returns the flags that make a go command use the tool. The twins are
// import paths of the standard library that have one. Results of an earlier build with the same
// settings are used again.
func (b *Build) Prepare(twins []string) ([]string, error) {
	if err := b.look(); err != nil {
		return nil, err
	}
	if err := b.settleTool(); err != nil {
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

// prepare compiles the packages that rewritten code needs and saves the plan.
func (b *Build) prepare(plan *Plan) error {
	if err := b.prepareStd(); err != nil {
		return err
	}
	mapsDone := make(chan error, 1)
	go func() { mapsDone <- b.prepareMaps(plan) }()
	wanted := append([]string{module + "/sched/native"}, forStd()...)
	text, err := b.compile(append(wanted, slices.Sorted(maps.Values(plan.Twins))...))
	if err = cmp.Or(<-mapsDone, err); err != nil {
		return err
	}
	plan.add(text)
	plan.Std = filepath.Base(b.stdPlan)
	b.plan, err = plan.save(b.plans)
	return err
}

// checkCover refuses to cover packages that are compiled before the go command compiles the
// user's packages.
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

// isOurs reports whether a package is a part of this module that is not rewritten.
func isOurs(path string) bool {
	rest, ok := strings.CutPrefix(path, module+"/")
	return ok && !strings.HasPrefix(rest, "examples/")
}

// twin returns the import path of a package's twin. The twin of package testing is in por,
// since it explores, which no part of sched does. The twins below it that depend on it are
// there, too.
func twin(path string) string {
	if path == "testing" || strings.HasPrefix(path, "testing/") && path != "testing/quick" {
		return module + "/por/" + path
	}
	return module + "/sched/std/" + path
}

// list returns the output of go list with the build's flags.
func (b *Build) list(args ...string) (string, error) {
	return output(b.goCommand(slices.Concat([]string{"list"}, b.Flags, args)...))
}

// compile compiles packages of this module and returns a line for each of them and of their
// dependencies: its path and its archive. They are compiled as with [Build.flags], since the
// user's packages may import some of them too.
func (b *Build) compile(packages []string) (string, error) {
	// No coverage in spite of GOFLAGS: these packages are not the user's.
	args := []string{"-export", "-cover=false",
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
	for _, p := range controlled() {
		flags = append(flags, gcflags(b.std(p), mark, all))
	}
	return append(flags, b.toolexec(b.plan))
}

// marksOfOthers returns the flags that mark the packages that are not rewritten. Packages that
// only this build uses have no debug information unless Debugged is set.
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
		for _, p := range announcing() {
			flags = append(flags, gcflags(b.std(p), MarkStd+"="+filepath.Base(b.stdPlan), rest))
		}
		for _, p := range diverting() {
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

// gcflags returns a -gcflags flag.
func gcflags(packages, mark, rest string) string {
	return "-gcflags=" + packages + "=" + mark + strings.TrimRight(" "+strings.TrimSpace(rest), " ")
}

// judging is the package that package por uses of another module. For por check it is
// compiled together with package por, before the user's packages are. So it must be compiled
// with the same flags later.
const judging = "github.com/anishathalye/porcupine"

// toolexec returns the -toolexec flag.
func (b *Build) toolexec(plan string) string {
	var words []string
	for _, w := range append(b.Tool[:len(b.Tool):len(b.Tool)], plan) {
		words = append(words, quote(w))
	}
	return "-toolexec=" + strings.Join(words, " ")
}

// gcflagsOfAll returns the -gcflags that the user sets for every package.
func (b *Build) gcflagsOfAll() (all string) {
	for _, f := range b.Gcflags {
		if rest, ok := strings.CutPrefix(f, "all="); ok {
			all = rest
		}
	}
	return all
}

// quote quotes a word for the way in which the go command splits flags.
func quote(w string) string {
	if !strings.ContainsAny(w, " \t\n'\"") {
		return w
	}
	if !strings.Contains(w, "'") {
		return "'" + w + "'"
	}
	return `"` + w + `"`
}

// Mark is the flag of a compile command that marks the package as one to be rewritten. Its
// value is the name of the plan's file.
const Mark = "-gopor"

// MarkOurs marks a package of this module that is not rewritten, but may have functions inlined
// into packages that are. Its value identifies the tool.
const MarkOurs = "-gopor-ours"

// MarkStd marks a package of the standard library that announces accesses of memory. Its value
// is the name of a plan's file in the folder of the command's plan. So the compiled package
// does not depend on the path of that folder.
const MarkStd = "-gopor-std"

// MarkDivert marks a package of the standard library by which output leaves the process. Its
// value is that of MarkStd.
const MarkDivert = "-gopor-divert"

// MarkMaps marks package internal/runtime/maps, which determines the order of maps. Its value
// identifies the tool.
const MarkMaps = "-gopor-maps"

// Environ returns an environment with a variable set. A nil env stands for that of the process.
func Environ(env []string, name, value string) []string {
	if env == nil {
		env = os.Environ()
	}
	return append(env[:len(env):len(env)], name+"="+value)
}
