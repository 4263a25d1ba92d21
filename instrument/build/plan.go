package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/environ"
)

// Plan has the data that the tool needs for one build. It is kept in a file, and the commands
// of the build get its name. The name has a hash of the contents, so the go command rebuilds
// packages when the plan changes.
type Plan struct {
	// Archives has, by path, the compiled packages that rewritten code may need although its
	// source does not import them: package native, the twins, and their dependencies.
	Archives map[string]string
	// Twins maps import paths of the standard library to those of their twins.
	Twins map[string]string
	// Std is the name of another file in the same folder: the plan for packages of the standard
	// library that announce accesses of memory or divert output.
	Std string
	// Maps is the archive of package internal/runtime/maps to link programs with.
	Maps string
	// Unknown is the version of Go, if gopor does not know it, else "".
	Unknown string
	// Tool identifies the tool, since another one may rewrite differently.
	Tool string
}

// ReadPlan reads a file that save has written.
func ReadPlan(name string) (*Plan, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// save writes the plan into dir and returns the name of its file.
func (p *Plan) save(dir string) (string, error) {
	text, err := json.Marshal(p) // the keys of maps are sorted
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	name := filepath.Join(dir, "plan-"+hex.EncodeToString(sum[:12])+".json")
	return name, replaceFile(name, text)
}

// replaceFile writes a file atomically. Its mode is that of any file that the user makes: the
// files feed builds, and others may write them only if the user's mask allows it.
func replaceFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d.%x", name, os.Getpid(), rand.Uint64())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

// Cache returns the folder of plans, tools and test binaries: POR_CACHE if that is set,
// otherwise a folder of the user's cache.
func Cache() (string, error) {
	dir := os.Getenv(environ.Cache)
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no folder for instrumented builds: %w; set POR_CACHE", err)
		}
		dir = filepath.Join(dir, "gopor")
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("the folder for instrumented builds, %s, is not absolute, and tests run in the folders of their packages; set POR_CACHE to a path that is", dir)
	}
	if strings.Contains(dir, "'") && strings.Contains(dir, `"`) {
		return "", fmt.Errorf("the folder for instrumented builds, %s, has both kinds of quotes in its name, which no flag of the go command can have; set POR_CACHE", dir)
	}
	return dir, nil
}
