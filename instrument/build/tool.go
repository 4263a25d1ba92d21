package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// findHome returns the folder of this module, as the running test's module sees
// it, or the folder in its vendor directory.
func findHome() (string, error) {
	// The binary knows where it came from, unless paths were trimmed.
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

// stamp writes what tells one state of a module's Go files from another.
func stamp(w io.Writer, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != dir && (strings.HasPrefix(base, ".") || base == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintf(w, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
}

// toolMain is the tool where its own main package is not at hand.
const toolMain = `package main

import (
	"os"

	"github.com/gopor/gopor/instrument"
)

func main() { os.Exit(instrument.Toolexec(os.Args[1:])) }
`

// buildTool builds the tool from this module's source in home, and returns the
// name of its file, whose folder is named by its content.
func (b *Build) buildTool(home string) (string, error) {
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "tools")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "new")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "tool")
	cmd := b.goCommand("build", "-trimpath", "-o", out, "./instrument/tool")
	if _, err := os.Stat(filepath.Join(home, "go.mod")); err == nil {
		cmd.Dir = home
		cmd.Env = Environ(Environ(b.Env, "GOFLAGS", ""), "GOWORK", "off")
	} else if errors.Is(err, fs.ErrNotExist) {
		// A vendor folder has neither this module's go.mod nor its main package.
		if cmd, err = b.vendoredTool(home, tmp, out); err != nil {
			return "", err
		}
	} else {
		return "", err
	}
	if _, err := output(cmd); err != nil {
		return "", fmt.Errorf("building the tool that brings code under control: %w", err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	name := filepath.Join(dir, hex.EncodeToString(sum[:12]), "tool")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	return name, replaceFile(name, text, 0o777)
}

// vendoredTool returns the command that builds the tool from the packages that
// the user's module has vendored.
func (b *Build) vendoredTool(home, tmp, out string) (*exec.Cmd, error) {
	source := filepath.Join(tmp, "main.go")
	if err := os.WriteFile(source, []byte(toolMain), 0o666); err != nil {
		return nil, err
	}
	root, _, ok := strings.Cut(filepath.ToSlash(home), "/vendor/")
	if !ok {
		return nil, fmt.Errorf("%s is neither a module nor in a vendor folder", home)
	}
	main := filepath.Join(filepath.FromSlash(root), "gopor_tool", "main.go")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{main: source}})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return nil, err
	}
	cmd := b.goCommand("build", "-trimpath", "-overlay="+overlay, "-o", out, "./gopor_tool")
	cmd.Dir = root
	return cmd, nil
}
