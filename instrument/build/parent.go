package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unrecorded are the flags that matter to a build and that a test binary does not record.
var unrecorded = set("coverpkg covermode mod modfile overlay fuzz")

// goTest returns the unrecorded flags of the go test command that runs this process, and the
// folder in which it runs. It returns nothing if another program runs this process, or if the
// system does not tell.
func goTest() (flags []Flag, dir string) {
	all, _, dir := Parent()
	for _, f := range all {
		if unrecorded[f.Name] {
			flags = append(flags, f)
		}
	}
	return flags, dir
}

// Parent returns what is known of the go test command that runs this process, on Linux: its
// flags, the packages or files that it was given, and the folder in which it runs. The folder
// is "" if nothing is known.
func Parent() (flags []Flag, packages []string, dir string) {
	proc := fmt.Sprintf("/proc/%d/", os.Getppid())
	text, err := os.ReadFile(proc + "cmdline")
	if err != nil {
		return nil, nil, ""
	}
	args := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	test := slices.Index(args, "test")
	if filepath.Base(args[0]) != "go" || test < 0 {
		return nil, nil, ""
	}
	if dir, err = os.Readlink(proc + "cwd"); err != nil {
		return nil, nil, ""
	}
	flags, packages, _ = SplitFlags(args[test+1:])
	return flags, packages, dir
}
