package explore

import (
	"path/filepath"
	"testing"
)

// TestPlaced places files of a program that por check has started, in a folder of its package.
func TestPlaced(t *testing.T) {
	called, elsewhere := t.TempDir(), t.TempDir()
	pkg := filepath.Join(called, "bank", "acct")
	for _, x := range []struct{ called, begun, to, want string }{
		{"", pkg, "", ""},
		{called, pkg, "", ""},
		{"", pkg, "out", "out"},
		{"", pkg, "page.html", "page.html"},
		{called, pkg, "page.html", filepath.Join(called, "page.html")},
		{called, pkg, "out", filepath.Join(called, "out", "bank", "acct")},
		{called, pkg, elsewhere, filepath.Join(elsewhere, "bank", "acct")},
		{called, pkg, filepath.Join(elsewhere, "x.html"), filepath.Join(elsewhere, "x.html")},
		{called, called, "out/", filepath.Join(called, "out")},
		{pkg, called, "out", filepath.Join(pkg, "out", filepath.Base(called))},
		{called, elsewhere, "../out", filepath.Join(filepath.Dir(called), "out", filepath.Base(elsewhere))},
	} {
		if got := placed(x.to, ".html", x.called, x.begun); got != x.want {
			t.Errorf("%q of a program of %q that was started from %q is placed at %q, want %q", x.to, x.begun, x.called, got, x.want)
		}
	}
}
