package build

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/known"
)

// paths returns a function that returns the packages of a class. Test binaries have this package,
// too, and read the table of package known only if they need it.
func paths(class string) func() []string {
	return sync.OnceValue(func() []string { return known.Paths(class) })
}

// announcing are the packages of the standard library that announce their accesses of memory
// like the program, when controlled goroutines make them. Package known has the reasons.
var announcing = paths("announce")

// Clocked has, for some of them, the names of the files that ask for the time.
var Clocked = sync.OnceValue(func() map[string][]string { return known.Files("clocked") })

// controlled are the packages of the standard library that are under control like the program.
// They keep goroutines or let callers wait for each other, and no package that this module
// needs imports them; or they receive tests.
var controlled = paths("control")

// diverting are the packages of the standard library by which output, and calls of a test's
// methods, leave the process. When controlled goroutines use them these go to their execution.
var diverting = paths("divert")

// IsAnnouncing, IsControlled and IsDiverting report whether a package of the standard library
// is announcing, controlled or diverting.
func IsAnnouncing(path string) bool { return slices.Contains(announcing(), path) }

func IsControlled(path string) bool { return slices.Contains(controlled(), path) }

func IsDiverting(path string) bool { return slices.Contains(diverting(), path) }

// quiet maps import paths to the packages that announcing packages import in their place.
var quiet = sync.OnceValue(func() map[string]string {
	twins := make(map[string]string)
	for _, r := range known.Rows("quiet") {
		twins[r.Path] = module + "/" + r.Args
	}
	return twins
})

// forStd returns the packages of this module that announcing packages import.
func forStd() []string {
	return []string{module + "/sched/native/access", quiet()["sync"], quiet()["sync/atomic"]}
}

// prepareStd compiles the packages that announcing packages need, and saves their plan.
func (b *Build) prepareStd() error {
	plan := &Plan{Archives: map[string]string{}, Twins: quiet(), Tool: b.ToolID, Unknown: b.Unknown()}
	text, err := b.compile(forStd())
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

// mapsPackage is the package of the standard library that determines the order of loops over
// maps.
const mapsPackage = "internal/runtime/maps"

// prepareMaps compiles that package such that the order is the same in all executions. It saves
// the name of the archive in the plan; the linker takes it in place of the usual one.
func (b *Build) prepareMaps(plan *Plan) error {
	all := b.gcflagsOfAll()
	name, err := b.list("-export", "-f", "{{.Export}}", "-gcflags=std="+all, "-gcflags="+mapsPackage+"="+strings.TrimSpace(MarkMaps+"="+b.ToolID+" "+all),
		b.toolexec(filepath.Join(b.plans, "none")), mapsPackage)
	plan.Maps = strings.TrimSpace(name)
	return err
}
