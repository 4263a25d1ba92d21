package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// maxSize is the largest size of the cache in bytes. Files that were not used for longest are
// removed first.
const maxSize = 4 << 30

// maxAge is the time after which an unused instrumented binary or tool is removed.
const maxAge = 5 * 24 * time.Hour

// Instrumented returns the name of the instrumented counterpart of the running test binary. It
// builds the counterpart if the cache has none. For twins see [Build.Prepare].
func Instrumented(twins []string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	home, err := findHome()
	if err != nil {
		return "", err
	}
	key, err := keyOf(self, home)
	if err != nil {
		return "", err
	}
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	name := filepath.Join(cache, "binaries", key)
	now := time.Now()
	if text, err := os.ReadFile(name + directSuffix); err == nil {
		os.Chtimes(name+directSuffix, now, now) // in use
		direct := new(DirectError)
		if err := json.Unmarshal(text, direct); err != nil {
			return "", err
		}
		return "", direct
	}
	if _, err := os.Stat(name); err == nil {
		os.Chtimes(name, now, now)
		return name, nil
	}
	Trim(filepath.Dir(name), now.Add(-maxAge))
	Trim(filepath.Join(cache, "plans"), now.Add(-maxAge))
	if err := buildBinary(name, home, twins); err != nil {
		return "", err
	}
	Limit(cache, maxSize, name)
	return name, nil
}

// keyOf identifies a test binary and the other thing on which its instrumented counterpart
// depends: the source of this module, which a version identifies.
func keyOf(self, home string) (string, error) {
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New() // in pieces: allocating memory for all would take longer than reading
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, make([]byte, 1<<16)); err != nil {
		return "", err
	}
	if err := identify(h, home); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// Trim removes the files and folders that were not used since a time.
func Trim(dir string, since time.Time) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().Before(since) {
			os.RemoveAll(filepath.Join(dir, f.Name()))
		}
	}
}

// directSuffix ends the name of a file with a [DirectError]. It is kept in place of an
// instrumented binary for a package that needs none.
const directSuffix = ".direct"

// buildBinary builds the instrumented counterpart of the running test binary, or records that
// it needs none.
func buildBinary(name, home string, twins []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "" {
		return errors.New("this is not a test binary that go test has built, so it cannot be built again under control; use por test")
	}
	path := strings.TrimSuffix(info.Path, ".test") // tests of a main package lack the suffix
	if err := checkToolexec(); err != nil {
		return err
	}
	flags, dir := goTest()
	b := &Build{Dir: dir, Home: home}
	flags = append(settings(info), flags...)
	others := b.SetFlags(flags)
	if slices.ContainsFunc(flags, func(f Flag) bool { return f.Name == "ldflags" }) {
		b.Debugged = true
	} else {
		// This saves a third of linking; go test omits that information, too.
		others = append(others, "-ldflags=-w")
	}
	if direct, err := b.usesSched(path); err != nil && dir == "" {
		return fmt.Errorf("%w\nA test binary that is run by hand for the first time builds its instrumented counterpart: run it in its module's folder, or let go test run it", err)
	} else if err != nil {
		return err
	} else if direct != nil {
		text, err := json.Marshal(direct)
		if err == nil {
			err = replaceFile(name+directSuffix, text)
		}
		if err != nil {
			return err
		}
		return direct
	}
	ours, err := b.Prepare(twins)
	if err != nil {
		return err
	}
	out := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	defer os.Remove(out)
	args := append([]string{"test", "-c", "-vet=off", "-o", out}, others...)
	args = append(append(args, ours...), path)
	if _, err := output(b.goCommand(args...)); err != nil {
		return err
	}
	return os.Rename(out, name)
}

// checkToolexec refuses a -toolexec of the user.
func checkToolexec() error {
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		if strings.HasPrefix(strings.TrimLeft(f, "-"), "toolexec=") {
			return fmt.Errorf("GOFLAGS has %s, and bringing code under control needs -toolexec itself", f)
		}
	}
	return nil
}

// settings returns the flags that the running binary was built with.
func settings(info *debug.BuildInfo) []Flag {
	var flags []Flag
	for _, s := range info.Settings {
		name, ok := strings.CutPrefix(s.Key, "-")
		if !ok || name == "buildmode" || name == "compiler" {
			continue // environment, or a default
		}
		flags = append(flags, Flag{Name: name, Value: s.Value, Words: []string{s.Key + "=" + s.Value}})
	}
	return flags
}
