package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/natively"
)

// runsNatively are the flags of go test with which a test binary is built that is not under
// control. The flags of detectors are none of them, since control has its own in their place.
var runsNatively = strings.Fields("asmflags buildmode buildvcs compiler gccgoflags gcflags installsuffix ldflags mod modfile overlay pgo tags trimpath")

// natively tells test programs how a test is run without control, where one fails under every
// schedule. It returns the folder for the test binaries.
func (c *testCommand) natively(flags []build.Flag, packages []string, dir string) (folder string, err error) {
	n := natively.Command{}
	if n.Dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if n.Folder, err = os.MkdirTemp("", "por-native-"); err != nil {
		return "", err
	}
	for _, f := range flags {
		switch {
		case f.Name == "exec":
			n.Refused = "flag -exec says how test binaries are run"
		case slices.Contains(runsNatively, f.Name):
			n.Flags = append(n.Flags, f.Words...)
		}
	}
	if slices.ContainsFunc(packages, func(p string) bool { return strings.HasSuffix(p, ".go") }) {
		n.Files = packages
	}
	c.environ = build.Environ(c.environ, environ.CheckNative, n.Encode())
	return n.Folder, nil
}
