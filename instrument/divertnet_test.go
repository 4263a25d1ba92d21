package instrument

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestNetwork compiles package net with the sockets of executions, as far as types go. Its
// declarations have the lines of the original.
func TestNetwork(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0")
	sources := stdSources(t, "net")
	with, err := withNetwork("net", slices.Clone(sources))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		if was, is := ends(t, s), ends(t, with[i]); !slices.Equal(is, was) {
			t.Errorf("%s: declarations are at %v, not %v", s.Name, is, was)
		}
	}
	p, err := check(t, "net", "", with)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := check(t, "net", "", rewritten(p, with)); err != nil {
		t.Error(err)
	}
}

// ends returns the lines where the declarations of a file begin and end, as stacks tell them.
func ends(t *testing.T, s Source) (lines []int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		lines = append(lines, fset.Position(d.Pos()).Line, fset.Position(d.End()).Line)
	}
	return lines
}

// TestNetworkMissing says by name which function of package net is another one than expected.
func TestNetworkMissing(t *testing.T) {
	for name, was := range map[string]struct{ text, is, want string }{
		"netFD.Read":         {"func (fd *netFD) Read(p []byte) (n int, err error) {", "func (fd *netFD) Read(p []byte, x int) (n int, err error) {", "net.netFD.Read is func(p []byte, x int) (n int, err error), not func(p []byte) (n int, err error)"},
		"UnixListener.close": {"func (ln *UnixListener) close() error {", "func (ln *UnixListener) shut() error {", "package net has no function UnixListener.close"},
		"netFD":              {"type netFD struct {", "type netFd struct {", "package net has no struct netFD"},
	} {
		t.Run(name, func(t *testing.T) {
			sources, found := stdSources(t, "net"), false
			for i, s := range sources {
				text := strings.Replace(string(s.Text), was.text, was.is, 1)
				found = found || text != string(s.Text)
				sources[i].Text = []byte(text)
			}
			if _, err := withNetwork("net", sources); !found || err == nil || fmt.Sprint(err) != was.want {
				t.Errorf("the text was found: %v; the error is %v, not %q", found, err, was.want)
			}
		})
	}
}
