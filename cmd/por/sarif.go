package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/sarif"
	"github.com/gopor/gopor/internal/spell"
	"github.com/gopor/gopor/por/report"
)

const sarifUsage = `usage: por sarif [-root DIR] FILES

Prints failures in the format SARIF 2.1.0. FILES are what -por.json or POR_JSON has
written, or folders of such files:

  por check -por.json=failures/ ./...
  por sarif failures >por.sarif

A folder that does not exist has no failures.

  -root DIR  files below DIR are named relative to it (GITHUB_WORKSPACE, or the
             current folder)
`

// toSARIF is the command sarif.
func toSARIF(args []string, e command.Env) int {
	root := os.Getenv("GITHUB_WORKSPACE")
	var names []string
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		switch {
		case command.IsHelp(args[i]):
			fmt.Fprint(e.Out, sarifUsage)
			return command.OK
		case !strings.HasPrefix(args[i], "-"):
			names = append(names, args[i])
		case name != "root":
			return e.Misused("sarif: unknown flag %s%s", args[i], spell.Unknown(spell.Mean("-", name, []string{"root"}), "-root"))
		case given:
			root = value
		case i+1 == len(args):
			return e.Misused("sarif: the flag -root needs a folder")
		default:
			i++
			root = args[i]
		}
	}
	if len(names) == 0 {
		return e.Misused("sarif: no files; give what -por.json has written, or its folder")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return e.Failed(err)
	}
	var all []*report.Diagnosis
	for _, name := range names {
		found, err := diagnoses(name)
		if err != nil {
			return e.Failed(fmt.Errorf("sarif: %w", err))
		}
		all = append(all, found...)
	}
	info, _ := debug.ReadBuildInfo()
	if err := sarif.New(all, versionsOf(info).Version, root).Write(e.Out); err != nil {
		return e.Failed(err)
	}
	return command.OK
}

// diagnoses reads a file, or the files below a folder, which may not exist.
func diagnoses(name string) (all []*report.Diagnosis, err error) {
	if filepath.Ext(name) == ".json" {
		d, err := diagnosis(name)
		return []*report.Diagnosis{d}, err
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("%s: files of -por.json end in .json", name)
	}
	err = filepath.WalkDir(name, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		d, err := diagnosis(name)
		all = append(all, d)
		return err
	})
	return all, err
}

// diagnosis reads a file.
func diagnosis(name string) (*report.Diagnosis, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Version int `json:"version"`
		report.Diagnosis
	}
	switch err := json.Unmarshal(text, &file); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case file.Version != report.Version || file.Kind == "" || file.Headline == "":
		return nil, fmt.Errorf("%s: this is not a failure that -por.json has written in version %d of the format", name, report.Version)
	}
	return &file.Diagnosis, nil
}
