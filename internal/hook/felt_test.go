package hook_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

// TestFelt has files be changed, by all kinds of names.
func TestFelt(t *testing.T) {
	dir := t.TempDir()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string, except ...string) {
		t.Helper()
		if got := hook.Felt(except...); got != want {
			t.Errorf("felt: %q, want %q", got, want)
		}
	}
	check("")
	for _, name := range []string{"", "|0", "/dev/null", "/dev/tty"} {
		live.Changed(name)
	}
	check("")

	done := live.Unfelt(false)
	live.Changed(filepath.Join(dir, "a"))
	check("changes of " + filepath.Join(dir, "a"))
	check("", filepath.Join(dir, "a"))
	done()
	check("")

	live.Changed(filepath.Join(dir, "b")) // as by MkdirTemp, which says afterwards that it was one
	live.Changed(filepath.Join(dir, "b", "c"))
	live.Alone(filepath.Join(dir, "b"))
	check("changes of " + filepath.Join(dir, "b", "c")) // it was changed by somebody before the folder was made
	hook.AddOwnFolder(filepath.Join(dir, "b"))
	check("")
	done = live.Unfelt(false)
	live.Alone(filepath.Join(dir, "made"))
	done()
	for _, name := range []string{filepath.Join(dir, "made"), filepath.Join(dir, "made", "x")} {
		live.Changed(name)
	}
	check("")
	done = live.Unfelt(false)
	live.Changed(filepath.Join(dir, "made2"))
	check("changes of " + filepath.Join(dir, "made2"))
	done()
	done = live.Unfelt(false)
	live.Changed(filepath.Join(dir, "bc"))
	check("changes of " + filepath.Join(dir, "bc"))
	done()

	done = live.Unfelt(false)
	live.Changed("felt.txt")
	check("", filepath.Join(wd, "felt.txt"))
	live.Moved()
	check("changes of felt.txt", filepath.Join(wd, "felt.txt"))
	done()
	check("")

	done = live.Unfelt(false)
	for i := range 64 { // and one from above
		name := filepath.Join(dir, "many", string(rune('A'+i)))
		live.Changed(name)
		live.Changed(name)
		if i == 62 {
			hook.AddOwnFolder(filepath.Join(dir, "many"))
			check("")
		}
	}
	check("changes of many files")
	done()

	done = live.Unfelt(false)
	live.Feel("first")
	live.Feel("second")
	check("first")
	live.Unfelt(true)() // within the other
	check("first")
	done()
	check("")
}

// TestUnfelt has two forget at the same time, which neither does then.
func TestUnfelt(t *testing.T) {
	first, second := live.Unfelt(false), live.Unfelt(false)
	live.Feel("both")
	first()
	second()
	if got := hook.Felt(); got != "both" {
		t.Errorf("felt: %q", got)
	}
}
