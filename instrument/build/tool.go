package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// findHome returns the folder of this module, as the running test's module sees it, or the
// folder in its vendor directory.
func findHome() (string, error) {
	// The binary knows the folder of its source, unless paths were trimmed.
	if _, file, _, ok := runtime.Caller(0); ok {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(filepath.Dir(filepath.Dir(file))), nil
		}
	}
	cmd := exec.Command("go", "list", "-f", "{{.Dir}}", module+"/sched")
	text, err := output(cmd)
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(text)), nil
}

// identify writes an identification of the state of this module.
func identify(w io.Writer, home string) error {
	if strings.Contains(home, "@") {
		_, err := fmt.Fprintln(w, home) // in the module cache, where nothing changes
		return err
	}
	return stamp(w, home)
}

// stamp writes an identification of the state of a module's Go files, and of the tables in them.
func stamp(w io.Writer, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != dir && (strings.HasPrefix(base, ".") || base == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintf(w, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
}

// toolMain is the main package of the tool. It has no folder, since go mod vendor omits main
// packages. Its line directive and its build ID are the same for every cache. So the tool's
// content is the same, and so are the packages of the standard library that are compiled
// through it, which the go command keeps once.
const toolMain = `//line /tool.go:1
package main

import (
	"os"

	"github.com/gopor/gopor/instrument"
)

func main() { os.Exit(instrument.Toolexec(os.Args[1:])) }
`

// settleTool determines the tool of the build. The commands of por and a test that calls package
// por build the same tool. So what they compile through it is in the go command's cache once.
func (b *Build) settleTool() error {
	if b.Tool != nil {
		return nil
	}
	tool, id, err := b.buildTool(b.seenHome, b.goRelease)
	b.Tool, b.ToolID = []string{tool}, id
	return err
}

// buildTool returns the name of the tool's file and an identification of its content. It builds
// the tool from this module's source in home if the cache has none for that source and release
// of Go.
func (b *Build) buildTool(home, release string) (name, id string, err error) {
	cache, err := Cache()
	if err != nil {
		return "", "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, release)
	root, _, vendored := strings.Cut(filepath.ToSlash(home), "/vendor/")
	if vendored {
		text, err := os.ReadFile(filepath.Join(root, "vendor", "modules.txt"))
		if err != nil {
			return "", "", err
		}
		h.Write(text) // has the versions of the other modules of the tool
	}
	if err := identify(h, home); err != nil {
		return "", "", err
	}
	name = filepath.Join(cache, "tools", hex.EncodeToString(h.Sum(nil)[:12]), "tool")
	now := time.Now()
	_, err = os.Stat(name)
	if sum, err1 := os.ReadFile(name + sumSuffix); err == nil && err1 == nil && len(sum) == 24 {
		os.Chtimes(filepath.Dir(name), now, now) // in use
		return name, string(sum), nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		Trim(filepath.Join(cache, "tools"), now.Add(-maxAge))
		cmd := b.toolCommand(home)
		if vendored {
			cmd = b.vendoredTool(root)
		}
		text, err = b.linkTool(cmd, name)
	} else if err == nil {
		os.Chtimes(filepath.Dir(name), now, now) // in use
	}
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(text)
	id = hex.EncodeToString(sum[:12])
	// Reading the identification takes less time than reading a tool.
	return name, id, replaceFile(name+sumSuffix, []byte(id))
}

// sumSuffix ends the name of the file beside the tool with its identification.
const sumSuffix = ".sum"

// linkTool runs a command that builds the tool, installs the result and returns it.
func (b *Build) linkTool(cmd *exec.Cmd, name string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(name), "new")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	source, out := filepath.Join(filepath.Dir(filepath.Dir(name)), "main.go"), filepath.Join(tmp, "tool")
	if err := replaceFile(source, []byte(toolMain)); err != nil {
		return nil, err
	}
	// No flag that would recompile the standard library, such as -trimpath.
	cmd.Args = append(cmd.Args, "-buildvcs=false", "-ldflags=-s -w -buildid=gopor", "-o", out, source)
	cmd.Env = Environ(Environ(cmd.Env, "GOOS", ""), "GOARCH", "") // the tool runs on this machine
	if _, err := output(cmd); err != nil {
		return nil, fmt.Errorf("building the tool that brings code under control: %w", err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return text, os.Rename(out, name)
}

// toolCommand returns a go build command for the tool in this module.
func (b *Build) toolCommand(home string) *exec.Cmd {
	cmd := b.goCommand("build")
	b.atHome(cmd, home)
	cmd.Env = Environ(cmd.Env, "GOFLAGS", "")
	return cmd
}

// vendoredTool returns a go build command for the tool from the packages that the module or
// workspace in root has vendored.
func (b *Build) vendoredTool(root string) *exec.Cmd {
	cmd := b.goCommand("build", "-mod=vendor")
	cmd.Dir = filepath.FromSlash(root)
	cmd.Env = Environ(b.Env, "GOFLAGS", "")
	return cmd
}
