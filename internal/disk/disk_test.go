//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// modelFile is a file as it has to be: all contents since the latest Sync, and how each has become
// the next one.
type modelFile struct {
	before  [][]byte // contents before each unsynced change
	parts   [][]byte // what each change leaves if half of it comes
	numbers []int
	now     []byte
	owner   int32
}

func (m *modelFile) change(owner int32, number int, next, half []byte) {
	if m.owner != owner {
		m.sync()
	}
	m.owner = owner
	m.before, m.parts, m.numbers = append(m.before, m.now), append(m.parts, half), append(m.numbers, number)
	m.now = next
}

func (m *modelFile) sync() { m.before, m.parts, m.numbers = nil, nil, nil }

// written returns a content with b at a place.
func written(c []byte, at int, b []byte) []byte {
	if len(b) == 0 {
		return c
	}
	next := slices.Clone(c)
	for len(next) < at+len(b) {
		next = append(next, 0)
	}
	copy(next[at:], b)
	return next
}

func sized(c []byte, n int) []byte {
	next := slices.Clone(c[:min(n, len(c))])
	for len(next) < n {
		next = append(next, 0)
	}
	return next
}

// lose is a power failure for an owner.
func lose(files []*modelFile, owner int32, left Left) {
	var last *modelFile
	for _, m := range files {
		if m.owner == owner && len(m.before) > 0 && (last == nil || m.numbers[len(m.numbers)-1] > last.numbers[len(last.numbers)-1]) {
			last = m
		}
	}
	for _, m := range files {
		if m.owner != owner || len(m.before) == 0 {
			continue
		}
		switch left {
		case Nothing:
			m.now = m.before[0]
		case Half:
			if m == last {
				m.now = m.parts[len(m.parts)-1]
			}
		case Last:
			if m != last {
				m.now = m.before[0]
			}
		}
		m.sync()
	}
}

// TestDrawn holds a Disk to the model, with drawn changes of two files by two owners.
func TestDrawn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	programs := 400
	if os.Getenv("GOPOR_FULL") != "" {
		programs = 20_000
	}
	if n, err := strconv.Atoi(os.Getenv("GOPOR_PROGRAMS")); err == nil {
		programs = n
	}
	lost := 0
	for n := range programs {
		dir := t.TempDir()
		var d Disk
		var files []*os.File
		var models []*modelFile
		var text strings.Builder
		for i := range 2 {
			flag := os.O_RDWR | os.O_CREATE
			if i == 1 && rnd.IntN(2) == 0 {
				flag |= os.O_APPEND
				text.WriteString("append ")
			}
			name := filepath.Join(dir, string(rune('a'+i)))
			start := sized([]byte("0123456789"), rnd.IntN(8))
			if err := os.WriteFile(name, start, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(name, flag, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			files, models = append(files, f), append(models, &modelFile{now: start})
		}
		appends := strings.Contains(text.String(), "append")
		for number := range 1 + rnd.IntN(12) {
			i := rnd.IntN(2)
			f, m, fd := files[i], models[i], int(files[i].Fd())
			owner := int32(1)
			if rnd.IntN(8) == 0 {
				owner = 2
			}
			note := func(at, length int64) {
				d.Note(Begin{Name: f.Name(), FD: fd, Owner: owner, At: at, Length: length, Mine: func() bool { return true }})
			}
			b := bytes.Repeat([]byte{byte('A' + number)}, rnd.IntN(6))
			switch op := rnd.IntN(9); op {
			case 0, 1, 2: // Write
				at, _ := f.Seek(0, 1)
				if i == 1 && appends {
					at = int64(len(m.now))
				}
				fmt.Fprintf(&text, "%d: owner %d writes %d at %d; ", i, owner, len(b), at)
				if op == 2 {
					note(-1, Unknown)
				} else {
					note(-1, int64(len(b)))
				}
				f.Write(b)
				if len(b) > 0 || op == 2 {
					half := len(b) / 2
					if op == 2 || int(at)+half < len(m.now) { // a sector is not cut
						half = 0
					}
					m.change(owner, number, written(m.now, int(at), b), written(m.now, int(at), b[:half]))
				}
			case 3:
				if i == 1 && appends {
					continue
				}
				at := rnd.IntN(12)
				fmt.Fprintf(&text, "%d: owner %d writes %d at %d; ", i, owner, len(b), at)
				note(int64(at), int64(len(b)))
				f.WriteAt(b, int64(at))
				if len(b) > 0 {
					half := len(b) / 2
					if at+half < len(m.now) {
						half = 0
					}
					m.change(owner, number, written(m.now, at, b), written(m.now, at, b[:half]))
				}
			case 4:
				size := rnd.IntN(12)
				fmt.Fprintf(&text, "%d: owner %d truncates to %d; ", i, owner, size)
				if rnd.IntN(2) == 0 {
					fd = -1
				}
				note(int64(size), -1)
				f.Truncate(int64(size))
				if size != len(m.now) {
					m.change(owner, number, sized(m.now, size), m.now)
				}
			case 5:
				fmt.Fprintf(&text, "%d: sync; ", i)
				d.Sync(fd)
				m.sync()
			case 6:
				loses := rnd.IntN(2) == 0
				fmt.Fprintf(&text, "%d: sync fails %v; ", i, loses)
				if changed := d.Changed(fd); changed != (len(m.before) > 0) {
					t.Fatalf("%s: changed %v", &text, changed)
				}
				if d.Fail(fd, loses); loses && len(m.before) > 0 {
					m.now = m.before[0]
					m.sync()
				}
			default:
				left := Left(rnd.IntN(4))
				fmt.Fprintf(&text, "owner %d loses %d; ", owner, left)
				is := slices.ContainsFunc(models, func(m *modelFile) bool { return m.owner == owner && len(m.before) > 0 })
				if got := d.Unsynced(owner); got != is {
					t.Fatalf("%s: unsynced %v", &text, got)
				}
				if said := d.Lose(owner, left); (said != "") != is {
					t.Fatalf("%s: %q", &text, said)
				}
				if is {
					lost++
				}
				lose(models, owner, left)
			}
			for i, m := range models {
				if got, err := os.ReadFile(files[i].Name()); err != nil || !bytes.Equal(got, m.now) {
					t.Fatalf("program %d: %s\nfile %d is %q, want %q (%v)", n, &text, i, got, m.now, err)
				}
			}
		}
		d.Reset()
		if d.kept != 0 {
			t.Error(d.kept)
		}
		for _, f := range files {
			f.Close()
		}
	}
	if lost < programs/2 {
		t.Error("changes were lost", lost, "times")
	}
}

// always is for files whose changes may be lost.
func always() bool { return true }

// TestUndone has files of which nothing may be lost, or which something else has changed.
func TestUndone(t *testing.T) {
	for _, tt := range []struct {
		name string
		flag int
		do   func(d *Disk, f *os.File, note func(length int64))
		want string
	}{
		{"lost", 0, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
		}, "old!"},
		{"not mine", -1, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
		}, "new!"},
		{"synced writes", os.O_SYNC, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
		}, "new!"},
		{"changed by something else", 0, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
			os.WriteFile(f.Name(), []byte("longer than before"), 0)
		}, "longer than before"},
		{"changed by something else, then written", 0, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
			os.WriteFile(f.Name(), []byte("longer"), 0)
			note(1)
			f.WriteString("x")
		}, "longer"},
		{"removed", 0, func(d *Disk, f *os.File, note func(int64)) {
			note(3)
			f.WriteString("new")
			os.Remove(f.Name())
			if d.Unsynced(1) {
				t.Error("a file without a name matters")
			}
			os.WriteFile(f.Name(), []byte("other"), 0o600)
		}, "other"},
		{"renamed", 0, func(d *Disk, f *os.File, note func(int64)) {
			os.Rename(f.Name(), f.Name()+"2")
			os.WriteFile(f.Name(), []byte("other"), 0o600)
			note(3)
			f.WriteString("new")
			os.Rename(f.Name()+"2", f.Name())
		}, "old!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			os.WriteFile(name, []byte("old!"), 0o600)
			f, err := os.OpenFile(name, os.O_WRONLY|max(tt.flag, 0), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var d Disk
			defer d.Reset()
			mine := func() bool { return tt.flag >= 0 }
			tt.do(&d, f, func(length int64) {
				d.Note(Begin{Name: name, FD: int(f.Fd()), Owner: 1, At: -1, Length: length, Mine: mine})
			})
			d.Lose(1, Nothing)
			if got, _ := os.ReadFile(name); string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestHalf has writes of which half is left.
func TestHalf(t *testing.T) {
	for _, tt := range []struct{ size, at, length, want int64 }{
		{0, 0, 7, 3},           // added to the file
		{10, 10, 7, 3},         //
		{10, 0, 10, 0},         // within a sector
		{2048, 100, 100, 0},    //
		{2048, 500, 100, 12},   // across two sectors
		{2048, 500, 20, 0},     // the first half ends before the next sector
		{4096, 0, 4096, 2048},  //
		{4096, 100, 1000, 412}, //
		{100, 90, 30, 15},      // the cut is in what was added
		{100, 90, 14, 0},       //
		{0, 100, 2000, 1000},   // behind a hole
		{0, 0, Unknown, 0},     //
	} {
		c := change{size: tt.size, at: tt.at, length: tt.length}
		if got := c.half(max(tt.size, tt.at+min(tt.length, 1<<20))); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// TestNeedsRoom has writes to a file of two pages with a hole.
func TestNeedsRoom(t *testing.T) {
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "f"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteAt(make([]byte, 1<<16), 0)
	for _, tt := range []struct {
		at, n int64
		want  bool
	}{{0, 1 << 16, false}, {0, 0, false}, {1 << 16, 1, true}, {1<<16 - 1, 2, true}, {-1, 5, false}, {-1, -1, true}} {
		if got := NeedsRoom(int(f.Fd()), tt.at, tt.n); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if runtime.GOOS == "linux" {
		f.Truncate(1 << 17)
		f.Seek(7, 0)
		if !NeedsRoom(int(f.Fd()), 1<<16, 1) || NeedsRoom(int(f.Fd()), 1<<16-1, 1) {
			t.Error("a hole has room")
		}
		if at, _ := f.Seek(0, 1); at != 7 {
			t.Error("the position is", at)
		}
	}
}

// TestReadOnly has a write that fails natively.
func TestReadOnly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	os.WriteFile(name, []byte("old"), 0o600)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var d Disk
	defer d.Reset()
	d.Note(Begin{Name: name, FD: int(f.Fd()), At: -1, Length: 1, Mine: always})
	if d.Changed(int(f.Fd())) || NeedsRoom(int(f.Fd()), 5, 1) {
		t.Error("a descriptor for reading writes")
	}
}

// TestHeard has several descriptors that hear of a Sync that has failed.
func TestHeard(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	var d Disk
	defer d.Reset()
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		d.Opened(int(f.Fd()), 0)
		return f
	}
	a, b := open(), open()
	d.Note(Begin{Name: name, FD: int(a.Fd()), At: -1, Length: 1, Mine: always})
	a.WriteString("x")
	d.Fail(int(a.Fd()), false)
	c := open()
	if !d.Changed(int(c.Fd())) {
		t.Error("what stays after a Sync that fails is synced")
	}
	for _, x := range []struct {
		f     *os.File
		fails bool
	}{{a, false}, {b, true}, {b, false}, {c, false}} {
		if known, fails := d.Sync(int(x.f.Fd())); !known || fails != x.fails {
			t.Errorf("descriptor %d: %v, %v; want %v", x.f.Fd(), known, fails, x.fails)
		}
	}
}

// TestRelease gives up the lock of a node that has stopped, and of no other.
func TestRelease(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	var d Disk
	defer d.Reset()
	open := func(owner int32) int {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		d.Opened(int(f.Fd()), owner)
		return int(f.Fd())
	}
	first, next := open(1), open(2)
	if err := syscall.Flock(first, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	d.Release(2)
	if syscall.Flock(next, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		t.Error("another node's lock is given up")
	}
	d.Release(1)
	if err := syscall.Flock(next, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Error(err)
	}
}

// TestMostFiles has more files than a Disk keeps.
func TestMostFiles(t *testing.T) {
	dir := t.TempDir()
	var d Disk
	defer d.Reset()
	for i := range mostFiles + 1 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.Note(Begin{Name: name, FD: -1, Owner: int32(1 + i/mostFiles), At: 0, Length: -1, Mine: always})
	}
	if !d.Unsynced(1) || d.Unsynced(2) {
		t.Error(d.Unsynced(1), d.Unsynced(2))
	}
}

// TestLimit has more bytes than a Disk keeps.
func TestLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, Limit+1); err != nil {
		t.Fatal(err)
	}
	var d Disk
	defer d.Reset()
	d.Note(Begin{Name: name, FD: -1, Owner: 1, At: 0, Length: -1, Mine: always})
	if d.Unsynced(1) || d.kept != 0 {
		t.Error(d.kept)
	}
}
