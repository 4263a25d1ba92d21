package build

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// announcing are the packages of the standard library whose accesses of memory are seen as
// those of the program are, where controlled goroutines make them. Package known has the reasons.
var announcing = known.Paths("announce")

// Entries has those of them of which only maps and slices of elements are seen, and only in some files, by name:
// the others synchronise by channels.
var Entries = known.Files("entries")

// Keeping has those files of them by name that change, or look at, what the package keeps.
var Keeping = known.Files("keeping")

// Clocked has others, which are part of announcing too, of which some files ask for the time, by name.
var Clocked = known.Files("clocked")

// controlled are the packages of the standard library that are under control like the
// program: they keep goroutines or let callers wait for each other, and nothing that
// this module needs imports them; or they are handed tests.
var controlled = known.Paths("control")

// Some has the packages of which some files are, by name: what they do without the
// operating system.
var Some = known.Files("some")

// diverting are the packages of the standard library by which output, and what a test is
// told, leave the process: where controlled goroutines use them it goes to their execution.
var diverting = known.Paths("divert")

// IsAnnouncing, IsControlled and IsDiverting report whether a package of the standard library is one of those.
func IsAnnouncing(path string) bool { return slices.Contains(announcing, path) }

func IsControlled(path string) bool { return slices.Contains(controlled, path) }

func IsDiverting(path string) bool { return slices.Contains(diverting, path) }

// quiet are the packages that those have in place of others.
var quiet = func() map[string]string {
	twins := make(map[string]string)
	for _, r := range known.Rows("quiet") {
		twins[r.Path] = module + "/" + r.Args
	}
	return twins
}()

// forStd are the packages of this module that they import.
var forStd = []string{module + "/sched/native/access", quiet["sync"], quiet["sync/atomic"]}

// prepareStd compiles what packages of the standard library need that announce accesses of
// memory, and saves the plan for these.
func (b *Build) prepareStd() error {
	plan := &Plan{Archives: map[string]string{}, Twins: quiet, Tool: b.ToolID, Unknown: b.Unknown()}
	text, err := b.compile(forStd)
	if err != nil {
		return err
	}
	plan.add(text)
	b.stdPlan, err = plan.save(b.plans)
	return err
}

// add adds the archives that the lines of a text name.
func (p *Plan) add(text string) {
	for line := range strings.Lines(text) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			p.Archives[path] = file
		}
	}
}

// mapsPackage is the package of the standard library by which loops over maps get their
// order.
const mapsPackage = "internal/runtime/maps"

// prepareMaps compiles the package so that the order is the same in all executions, and
// saves the name of its archive in the plan: the linker takes it in place of the usual one.
func (b *Build) prepareMaps(plan *Plan) error {
	all := b.gcflagsOfAll()
	name, err := b.list("-export", "-f", "{{.Export}}", "-gcflags=std="+all, "-gcflags="+mapsPackage+"="+strings.TrimSpace(MarkMaps+"="+b.ToolID+" "+all),
		b.toolexec(filepath.Join(b.plans, "none")), mapsPackage)
	plan.Maps = strings.TrimSpace(name)
	return err
}
