package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gopor/gopor/instrument"
	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
)

// toolexec performs a command of the toolchain, which the go command calls for por test.
func toolexec(args []string, _ command.Env) (status int) { return instrument.Toolexec(args) }

// setTool makes this program the tool of b.
func setTool(b *build.Build) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	b.Tool, b.ToolID, b.ToolIsSelf = []string{self, "toolexec"}, hex.EncodeToString(sum[:]), true
	return nil
}

// home returns the folder of this module's source, if it is on this machine.
func home() string {
	_, file, _, ok := runtime.Caller(0)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !ok || err != nil {
		return ""
	}
	return dir
}
