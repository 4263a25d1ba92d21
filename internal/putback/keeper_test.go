package putback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// snapshot describes all that is below a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		r, err := capture(name)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if r.kind == link { // which has the time at which it was put back
			r.time = time.Time{}
		}
		if r.kind == regular {
			b, _ := os.ReadFile(name)
			text = string(b)
		}
		fmt.Fprintf(&b, "%c %s %v %v %v %q %q\n", r.kind, name, r.mode, r.time, r.owner, r.target, text)
		return nil
	})
	return b.String()
}

// tree makes a folder with files that were changed an hour ago.
func tree(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	for _, d := range []string{"", "d", "d/e", "empty", "ro"} {
		must(t, os.Mkdir(filepath.Join(root, d), 0o755))
	}
	for _, f := range []string{"f", "g", "d/f", "d/e/f", "ro/f"} {
		must(t, os.WriteFile(filepath.Join(root, f), []byte("text of "+f), 0o640))
	}
	must(t, os.Symlink("f", filepath.Join(root, "l")))
	must(t, os.Symlink("d", filepath.Join(root, "ld")))
	must(t, os.Symlink("new", filepath.Join(root, "dangling")))
	must(t, os.Link(filepath.Join(root, "g"), filepath.Join(root, "hard")))
	must(t, os.Chmod(filepath.Join(root, "ro"), 0o555))
	var names []string
	filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if d.Type()&fs.ModeSymlink == 0 {
			names = append(names, name)
		}
		return nil
	})
	for _, name := range names {
		must(t, os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour).Truncate(time.Second)))
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "ro"), 0o755) })
	return root
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files does what package os does for controlled goroutines, in a folder.
type files struct {
	*testing.T
	k    *Keeper
	root string
}

func (f files) at(name string) string { return f.root + "/" + name }

func (f files) before(name string, how How) {
	f.Helper()
	if _, err := f.k.Before(f.at(name), how); err != nil {
		f.Fatal(err)
	}
}

func (f files) open(name string, flag int) *os.File {
	f.before(name, Content)
	file, err := os.OpenFile(f.at(name), flag, 0o600)
	must(f.T, err)
	return file
}

func (f files) write(name, text string) {
	f.before(name, Content)
	must(f.T, os.WriteFile(f.at(name), []byte(text), 0o600))
}

func (f files) remove(name string)    { f.before(name, Name); must(f.T, os.Remove(f.at(name))) }
func (f files) removeAll(name string) { f.before(name, Tree); must(f.T, os.RemoveAll(f.at(name))) }
func (f files) mkdir(name string)     { f.before(name, Name); must(f.T, os.Mkdir(f.at(name), 0o700)) }
func (f files) mkdirAll(name string)  { f.before(name, Name); must(f.T, os.MkdirAll(f.at(name), 0o700)) }
func (f files) rename(a, b string) {
	f.before(a, Tree)
	f.before(b, Tree)
	must(f.T, os.Rename(f.at(a), f.at(b)))
}
func (f files) link(a, b string) {
	f.before(a, Content)
	f.before(b, Name)
	must(f.T, os.Link(f.at(a), f.at(b)))
}
func (f files) symlink(a, b string) {
	f.before(b, Name|Link)
	must(f.T, os.Symlink(a, f.at(b)))
}
func (f files) chmod(name string, mode fs.FileMode) {
	f.before(name, Content)
	must(f.T, os.Chmod(f.at(name), mode))
}

var changes = map[string]func(f files){
	"nothing":  func(f files) {},
	"create":   func(f files) { f.write("new", "x") },
	"truncate": func(f files) { f.write("f", "") },
	"append": func(f files) {
		h := f.open("f", os.O_WRONLY|os.O_APPEND)
		defer h.Close()
		h.WriteString("more")
	},
	"write at": func(f files) {
		h := f.open("f", os.O_RDWR)
		defer h.Close()
		h.WriteAt([]byte("x"), 1)
	},
	"write and remove":       func(f files) { f.write("f", "x"); f.remove("f") },
	"remove and write":       func(f files) { f.remove("f"); f.write("f", "x") },
	"remove and mkdir":       func(f files) { f.remove("f"); f.mkdir("f"); f.write("f/x", "x") },
	"rename":                 func(f files) { f.rename("f", "h"); f.write("h", "x") },
	"rename over":            func(f files) { f.rename("f", "g"); f.write("g", "x") },
	"write new, rename over": func(f files) { f.write("tmp", "x"); f.rename("tmp", "f"); f.write("f", "y") },
	"swap":                   func(f files) { f.rename("f", "t"); f.rename("g", "f"); f.rename("t", "g") },
	"rename folder": func(f files) {
		f.rename("d", "moved")
		f.write("moved/f", "x")
		f.write("moved/e/new", "x")
		f.mkdir("d")
		f.write("d/f", "y")
	},
	"rename folder over": func(f files) {
		f.remove("empty")
		f.rename("d", "empty")
		f.write("empty/f", "x")
		f.write("empty/new", "x")
	},
	"rename folder twice":   func(f files) { f.rename("d", "m"); f.rename("m", "d"); f.remove("d/e/f") },
	"rename new folder":     func(f files) { f.mkdir("n"); f.write("n/f", "x"); f.rename("n", "d/n"); f.write("d/n/f", "y") },
	"link":                  func(f files) { f.link("f", "h"); f.write("h", "x") },
	"write hard link":       func(f files) { f.write("hard", "x") },
	"symlink":               func(f files) { f.symlink("d", "s"); f.write("s/f", "x"); f.write("s/new", "x") },
	"symlink in new folder": func(f files) { f.mkdir("n"); f.symlink("../d", "n/s"); f.write("n/s/f", "x") },
	"symlink and dots":      func(f files) { f.mkdir("n"); f.symlink("../d/e", "n/s"); f.write("n/s/../f", "x") },
	"through link":          func(f files) { f.write("l", "x") },
	"through folder link":   func(f files) { f.write("ld/f", "x"); f.remove("ld/e/f") },
	"through dangling link": func(f files) { f.write("dangling", "x") },
	"remove link":           func(f files) { f.remove("l"); f.write("l", "x") },
	"remove folder link":    func(f files) { f.removeAll("ld"); f.mkdir("ld"); f.write("ld/f", "x") },
	"remove folder":         func(f files) { f.remove("empty"); f.write("empty", "x") },
	"empty a folder": func(f files) {
		f.remove("d/e/f")
		f.remove("d/e")
		f.remove("d/f")
		f.remove("d")
		f.symlink("ro", "d")
	},
	"remove all":            func(f files) { f.removeAll("d"); f.mkdirAll("d/e"); f.write("d/e/f", "x"); f.write("d/e/new", "x") },
	"remove some, then all": func(f files) { f.remove("d/f"); f.write("d/new", "x"); f.removeAll("d") },
	"change, then remove all": func(f files) {
		f.write("d/e/f", "x")
		f.mkdir("d/new")
		f.removeAll("d")
		f.write("d", "a file")
	},
	"remove all twice":    func(f files) { f.removeAll("d"); f.mkdir("d"); f.write("d/f", "x"); f.removeAll("d") },
	"mkdir all":           func(f files) { f.mkdirAll("a/b/c"); f.write("a/b/c/f", "x") },
	"remove all and more": func(f files) { f.mkdirAll("a/b"); f.removeAll("a"); f.write("a", "x") },
	"chmod":               func(f files) { f.chmod("f", 0o400); f.chmod("d", 0o700) },
	"chtimes": func(f files) {
		f.before("f", Content)
		os.Chtimes(f.at("f"), time.Now(), time.Now())
	},
	"read-only files":  func(f files) { f.write("new", "x"); f.chmod("new", 0o400); f.write("f", "x"); f.chmod("f", 0o400) },
	"read-only folder": func(f files) { f.mkdir("n"); f.write("n/f", "x"); f.chmod("n", 0o500) },
	"writable folder": func(f files) {
		f.chmod("ro", 0o755)
		f.write("ro/f", "x")
		f.write("ro/new", "x")
		f.chmod("ro", 0o500)
	},
	"dots": func(f files) { f.write("d/../f", "x"); f.write("d/./f", "x"); f.write("d//e/f", "x") },
	"open file, renamed": func(f files) {
		h := f.open("f", os.O_RDWR)
		defer h.Close()
		f.rename("f", "h")
		h.WriteString("x")
	},
}

// Every change is undone, once and again, also if a journal is all that is left of it.
func TestPutBack(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			before := snapshot(t, root)
			f := files{t, New(t.TempDir(), nil), root}
			for range 3 {
				change(f)
				if changed := snapshot(t, root); (changed == before) != (name == "nothing") {
					t.Error("the test changes nothing")
				}
				must(t, f.k.PutBack())
				if after := snapshot(t, root); after != before {
					t.Fatalf("before:\n%s\nafter:\n%s", before, after)
				}
			}
			must(t, f.k.Close())
			if left, _ := os.ReadDir(f.k.folder); len(left) > 0 {
				t.Error("left:", left)
			}
		})
	}
}

// killed leaves a keeper as a process does that is killed.
func killed(t *testing.T, k *Keeper) string {
	t.Helper()
	if k.journal == nil {
		return k.folder
	}
	must(t, k.journal.list.Close())
	return k.folder
}

func TestRecover(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			before := snapshot(t, root)
			f := files{t, New(t.TempDir(), nil), root}
			change(f)
			must(t, f.k.PutBack())
			change(f)
			if said := Recover(f.k.folder); len(said) > 0 {
				t.Error("the process lives:", said)
			}
			folder := killed(t, f.k)
			said := Recover(folder)
			if len(said) != 1 && name != "nothing" {
				t.Error("said:", said)
			}
			if after := snapshot(t, root); after != before {
				t.Fatalf("%q\nbefore:\n%s\nafter:\n%s", said, before, after)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Error("left:", left)
			}
			if said := Recover(folder); len(said) > 0 {
				t.Error("again:", said)
			}
		})
	}
}

// What was changed long after the process was killed belongs to another one.
func TestRecoverLater(t *testing.T) {
	for name, later := range map[string]func(f files){
		"new file":   func(f files) { os.WriteFile(f.at("new"), []byte("later"), 0o600) },
		"file":       func(f files) { os.WriteFile(f.at("f"), []byte("later"), 0o600) },
		"in folder":  func(f files) { os.WriteFile(f.at("d/e/later"), []byte("later"), 0o600) },
		"removed":    func(f files) { os.Remove(f.at("f")) },
		"moved here": func(f files) { os.Remove(f.at("new")); os.Rename(f.at("g"), f.at("new")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := files{t, New(t.TempDir(), nil), tree(t)}
			switch name {
			case "new file", "moved here":
				f.write("new", "x")
			case "in folder":
				f.removeAll("d")
				f.mkdirAll("d/e")
			default:
				f.write("f", "x")
			}
			old := time.Now().Add(-time.Hour)
			list := filepath.Join(f.k.journal.dir, listName)
			must(t, os.Chtimes(list, old, old))
			later(f)
			want := snapshot(t, f.root)
			if said := Recover(killed(t, f.k)); len(said) != 1 || !strings.Contains(said[0], "stay as they are: "+f.root) {
				t.Error("said:", said)
			}
			if after := snapshot(t, f.root); after != want {
				t.Errorf("want:\n%s\nafter:\n%s", want, after)
			}
		})
	}
}

// The copy of a file is used again, unless another process has changed the file in between.
func TestCopies(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	for i := range 3 {
		f.write("f", "x")
		must(t, f.k.PutBack())
		if stampless := (stamp{}) == f.k.copies[f.at("f")].stamp; f.k.made != 1 && !stampless {
			t.Fatal(i, f.k.made)
		}
	}
	must(t, os.WriteFile(f.at("f"), []byte("another text"), 0o600))
	f.write("f", "x")
	must(t, f.k.PutBack())
	if text, _ := os.ReadFile(f.at("f")); string(text) != "another text" {
		t.Errorf("%q", text)
	}
	if f.k.used != int64(len("another text")) {
		t.Error(f.k.used)
	}
}

func TestLimit(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	f.k.limit = 1 << 20
	must(t, os.WriteFile(f.at("d/large"), make([]byte, 3<<19), 0o600))
	var large *TooLarge
	if _, err := f.k.Before(f.at("d/large"), Content); !errors.As(err, &large) || !strings.Contains(err.Error(), "d/large: 1.5 MB are too many to keep aside (the limit is 1 MB in all)") {
		t.Error(err)
	}
	if _, err := f.k.Before(f.at("d"), Tree); !errors.As(err, &large) {
		t.Error(err)
	}
	// What fits is put back, and the rest stays.
	must(t, os.RemoveAll(f.at("d/e")))
	must(t, os.WriteFile(f.at("d/other"), nil, 0o600))
	must(t, f.k.PutBack())
	if text, err := os.ReadFile(f.at("d/e/f")); err != nil || string(text) != "text of d/e/f" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"d/large", "d/other"} {
		if !exists(f.at(name)) {
			t.Error(name, "was removed")
		}
	}
}

func TestAdded(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	for i, c := range []struct {
		name string
		how  How
		want bool
	}{{"f", Content, true}, {"l", Content, false}, {"f", Name, false}, {"new", Content, false}, {"d", Tree, true}, {"d/f", Content, false}, {"g", Content, true}} {
		if added, err := f.k.Before(f.at(c.name), c.how); err != nil || added != c.want {
			t.Error(i, c, added, err)
		}
	}
	must(t, f.k.PutBack())
}

func TestFresh(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	check := func(name string, want bool) {
		t.Helper()
		if got := f.k.Fresh(f.at(name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	check("new", false)
	f.write("new", "x")
	f.mkdirAll("n/m")
	f.symlink("../f", "n/l")
	f.write("f", "x")
	for _, name := range []string{"new", "n", "n/m", "n/m/x", "n/none"} {
		check(name, true)
	}
	for _, name := range []string{"n/l", "f", "g", "none", "", "n/../f"} {
		check(name, false)
	}
	must(t, f.k.PutBack())
	check("new", false)
}

// Below the own folders no file is kept, but what a link there leads to is.
func TestOwn(t *testing.T) {
	own := t.TempDir()
	root := tree(t)
	f := files{t, New(t.TempDir(), []string{own}), own}
	f.write("x", "x")
	f.mkdir("y")
	if f.k.journal != nil || f.k.Links() {
		t.Error("kept")
	}
	before := snapshot(t, root)
	f.symlink(root, "l")
	if !f.k.Links() {
		t.Error("no links")
	}
	f.write("l/f", "x")
	f.remove("l/g")
	must(t, f.k.PutBack())
	if after := snapshot(t, root); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if f.k.Links() {
		t.Error("links")
	}
}

func TestLoop(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	must(t, os.Symlink("b", f.at("a")))
	must(t, os.Symlink("a", f.at("b")))
	if _, err := f.k.Before(f.at("a"), Content); err == nil {
		t.Error("no error")
	}
	f.remove("a")
	must(t, f.k.PutBack())
	if target, err := os.Readlink(f.at("a")); err != nil || target != "b" {
		t.Error(target, err)
	}
}

func TestDamagedJournal(t *testing.T) {
	f := files{t, New(t.TempDir(), nil), tree(t)}
	before := snapshot(t, f.root)
	f.write("f", "x")
	f.k.journal.list.WriteString("f false 420 0 0 0 \"" + f.at("g") + "\" \"c9") // the process was killed here
	Recover(killed(t, f.k))
	if after := snapshot(t, f.root); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// What executions have changed is put back after a run without control, too.
func TestAround(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			changed.how = nil
			root := tree(t)
			before := snapshot(t, root)
			f := files{t, New(t.TempDir(), nil), root}
			change(f)
			must(t, f.k.PutBack())
			must(t, f.k.Close())
			Around(f.k.folder, func() { change(files{t, New(t.TempDir(), []string{root}), root}) })
			if after := snapshot(t, root); after != before {
				t.Fatalf("before:\n%s\nafter:\n%s", before, after)
			}
			if left, _ := os.ReadDir(f.k.folder); len(left) > 0 {
				t.Error("left:", left)
			}
		})
	}
}
