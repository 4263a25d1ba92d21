package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/known"
	"github.com/gopor/gopor/internal/spell"
)

const versionUsage = `usage: por version [-json]

Prints the version of por with its revision, the release of Go that has compiled it,
the releases of Go that it knows, and the go command that it would use here.

  -json  print an object of JSON
`

// versions is what por version prints. The tags are the fields of its JSON.
type versions struct {
	Version  string `json:"version"`            // of the module
	Revision string `json:"revision,omitempty"` // of the repository, "" if unknown
	Modified bool   `json:"modified,omitempty"` // the source differed from that revision
	Built    string `json:"built"`              // by this release of Go
	Platform string `json:"platform"`
	Oldest   string `json:"oldest"` // release of Go that por knows
	Newest   string `json:"newest"`
	Go       string `json:"go,omitempty"`      // the release of the go command, "" if there is none
	GoPath   string `json:"goPath,omitempty"`  // the file of the go command
	Problem  string `json:"problem,omitempty"` // with the go command
}

// version is the command of that name.
func version(args []string, e command.Env) int {
	asJSON := false
	for _, arg := range args {
		switch name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"); {
		case command.IsHelp(arg):
			fmt.Fprint(e.Out, versionUsage)
			return command.OK
		case arg == name:
			return e.Misused("version takes no arguments but -json")
		case name == "json":
			asJSON = true
		default:
			return e.Misused("version: unknown flag %s%s", arg, spell.Unknown(spell.Mean("-", name, []string{"json"}), "-json"))
		}
	}
	info, _ := debug.ReadBuildInfo()
	v := versionsOf(info)
	v.findGo()
	if asJSON {
		encoder := json.NewEncoder(e.Out)
		encoder.SetIndent("", "  ")
		encoder.Encode(v)
		return command.OK
	}
	fmt.Fprint(e.Out, v.String())
	return command.OK
}

// versionsOf returns what a program says about itself. The argument is nil if it says nothing.
func versionsOf(info *debug.BuildInfo) *versions {
	v := &versions{
		Version: "unknown", Built: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Oldest: fmt.Sprintf("go1.%d", known.Oldest), Newest: fmt.Sprintf("go1.%d", known.Newest),
	}
	if info == nil {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// findGo finds the go command that is used in the present folder.
func (v *versions) findGo() {
	path, err := exec.LookPath("go")
	if err != nil {
		v.Problem = "there is no go command in PATH"
		return
	}
	v.GoPath = path
	out, err := exec.Command(path, "env", "GOVERSION").Output()
	if v.Go = strings.TrimSpace(string(out)); err != nil || v.Go == "" {
		v.Go, v.Problem = "", "it does not say its version: go env GOVERSION"
		return
	}
	v.Problem = build.Doubt(v.Go)
}

// String returns what people read.
func (v *versions) String() string {
	var b strings.Builder
	b.WriteString("por " + v.Version)
	if v.Revision != "" {
		b.WriteString(", revision " + v.Revision)
	}
	if v.Modified {
		b.WriteString(", modified")
	}
	fmt.Fprintf(&b, "\nbuilt with %s for %s\n", v.Built, v.Platform)
	fmt.Fprintf(&b, "knows the standard library of %s to %s\n", v.Oldest, v.Newest)
	switch {
	case v.GoPath == "":
		fmt.Fprintf(&b, "uses no go command: %s\n", v.Problem)
	case v.Go == "":
		fmt.Fprintf(&b, "uses %s: %s\n", v.GoPath, v.Problem)
	default:
		fmt.Fprintf(&b, "uses %s, by %s", v.Go, v.GoPath)
		if v.Problem != "" {
			b.WriteString(": " + v.Problem)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
