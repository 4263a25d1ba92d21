package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/format"
)

// commandName returns how to call this program again, as typed into a shell.
func commandName() string {
	self, err := os.Executable()
	if err != nil {
		return "por"
	}
	if path, err := exec.LookPath("por"); err == nil && sameFile(path, self) {
		return "por"
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return build.RunCommand(".") // from the go command's own folder, which is gone afterwards
	}
	return format.Quoted(self)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
