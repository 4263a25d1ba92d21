package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// prepared has the names of the plans of a build, as a file in their folder. Without it,
// compiling the packages that they name takes the go command a second, even if all are in its
// cache.
type prepared struct{ Plan, Std string }

// settled are the variables of the go command's environment on which the compilation of
// packages, or the place of the results, depends.
var settled = strings.Fields(`GOVERSION GOROOT GOCACHE GOMOD GOWORK GOFLAGS GOEXPERIMENT GODEBUG GOOS GOARCH
	GO386 GOAMD64 GOARM GOARM64 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM GOFIPS140
	CGO_ENABLED CC CXX AR PKG_CONFIG CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS`)

// preparedName returns the name of the file with what this build prepares. The name depends on
// the environment, the build's flags, the twins, the tool, the requirements of the module in
// which the go command is run, and the source of this one. It is "" if the build depends on
// files that are not looked at here.
func (b *Build) preparedName(plan *Plan) (string, error) {
	given := strings.Fields(b.setting("GOFLAGS"))
	for _, f := range slices.Concat(b.Flags, given) {
		for _, name := range []string{"overlay", "modfile", "pgo"} {
			if strings.HasPrefix(strings.TrimLeft(f, "-"), name) {
				return "", nil
			}
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %v %v\n", b.environment, b.Dir, b.Tool, b.Flags, b.Gcflags, b.Debugged, plan.Twins)
	fmt.Fprintln(h, plan.Tool, b.seenHome, b.seenStd)
	for _, name := range []string{"GOMOD", "GOWORK"} {
		if err := requirements(h.Write, b.environment[slices.Index(settled, name)]); err != nil {
			return "", err
		}
	}
	if err := identify(h, b.seenHome); err != nil {
		return "", err
	}
	return filepath.Join(b.plans, "prepared-"+hex.EncodeToString(h.Sum(nil)[:12])+".json"), nil
}

// requirements writes a go.mod or go.work, and the files beside it that list modules.
func requirements(write func([]byte) (int, error), file string) error {
	if file == "" || file == "off" || file == os.DevNull {
		return nil
	}
	dir := filepath.Dir(file)
	for _, name := range []string{file, strings.TrimSuffix(strings.TrimSuffix(file, ".mod"), ".work") + ".sum",
		file + ".sum", filepath.Join(dir, "vendor", "modules.txt")} {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		write(fmt.Appendf(text, "\n%s\n", name))
	}
	return nil
}

// recall takes over the plans that an earlier build like this one has prepared. It reports
// whether the files that they name still exist.
func (b *Build) recall(name string) bool {
	var p prepared
	if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &p) != nil {
		return false
	}
	for _, file := range []string{p.Plan, p.Std} {
		plan, err := ReadPlan(file)
		if err != nil || !plan.complete() {
			return false
		}
	}
	now := time.Now()
	for _, file := range []string{name, p.Plan, p.Std} {
		os.Chtimes(file, now, now) // in use
	}
	b.plan, b.stdPlan = p.Plan, p.Std
	return true
}

// complete reports whether the archives of a plan exist.
func (p *Plan) complete() bool {
	for _, file := range p.Archives {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	_, err := os.Stat(p.Maps)
	return p.Maps == "" || err == nil
}

// remember saves the names of the plans that were prepared.
func (b *Build) remember(name string) error {
	text, err := json.Marshal(prepared{b.plan, b.stdPlan})
	if err != nil {
		return err
	}
	return replaceFile(name, text)
}
