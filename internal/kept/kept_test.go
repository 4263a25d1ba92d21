package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/faults"
)

func entry(plan string, seed uint64, reached ...string) faults.Kept {
	p, err := faults.Parse(plan)
	if err != nil {
		panic(err)
	}
	return faults.Kept{Plan: p, Seed: seed, Draws: 1, Reached: reached}
}

// open opens a corpus of searches that may have all faults.
func open(root, test, key string) *Corpus {
	c := Open(root, test, key, faults.All, faults.Most)
	c.Claim()
	return c
}

// names returns the files of the folder of a corpus that are entries.
func (c *Corpus) names() (all []string) {
	for _, f := range list(c.dir) {
		if !strings.HasPrefix(f.name, runPrefix) {
			all = append(all, f.name)
		}
	}
	return all
}

func TestKept(t *testing.T) {
	root := filepath.Join(t.TempDir(), "deep", "root")
	a := entry("crash:0.1:5:1m0s", 1<<40, "a \"name\"\nin two lines", "b")
	b := entry("sync:0:f3,torn::s0", 0, "b")
	c := open(root, "example.org/x.TestX/sub test", "options")
	if c.Trouble != "" || c.Run != 0 || len(c.Entries) != 0 {
		t.Fatalf("%+v", c)
	}
	c.Close([]faults.Kept{a, b}, nil, nil, false)
	c = open(root, "example.org/x.TestX/sub test", "options")
	if c.Trouble != "" || c.Run != 1 || len(c.Entries) != 2 {
		t.Fatalf("%+v", c)
	}
	if g := c.Given(); len(g.Keep) != 2 || g.Salt != 1<<32 || c.Runs() != 1 {
		t.Errorf("%+v", g)
	}
	if g := (*Corpus)(nil).Given(); len(g.Keep) != 0 || g.Salt != 0 || (*Corpus)(nil).Runs() != 0 {
		t.Errorf("%+v", g)
	}
	for _, k := range c.Entries {
		if !reflect.DeepEqual(k, a) && !reflect.DeepEqual(k, b) {
			t.Errorf("%+v", k)
		}
	}
	for _, other := range []*Corpus{open(root, "example.org/x.TestX/sub test", "others"), open(root, "example.org/y.TestX/sub test", "options")} {
		if other.Trouble != "" || other.Run != 0 || len(other.Entries) != 0 {
			t.Errorf("%+v", other)
		}
	}
	// b reaches nothing rare any more. A and d were not checked.
	d := entry("lose:0:1", 3, "d")
	c.Close([]faults.Kept{d}, []faults.Kept{b}, nil, false)
	c = open(root, "example.org/x.TestX/sub test", "options")
	if len(c.Entries) != 2 || c.Entries[0].Plan.String() == b.Plan.String() || c.Entries[1].Plan.String() == b.Plan.String() || c.Run != 2 {
		t.Fatalf("%+v", c)
	}
	// Other faults are not allowed.
	for _, x := range []struct {
		kinds faults.Kind
		most  int
		want  int
	}{{faults.Crash | faults.Lose, 1, 2}, {faults.Crash, 1, 1}, {faults.Lose, 8, 1}, {faults.All, 0, 0}, {faults.Reset, 8, 0}} {
		if got := Open(root, "example.org/x.TestX/sub test", "options", x.kinds, x.most); len(got.Entries) != x.want {
			t.Errorf("%v, %d: %+v", x.kinds, x.most, got.Entries)
		}
	}
	// What was tried is counted, until it is too long ago.
	for i := range uint32(3) {
		c = open(root, "example.org/x.TestX/sub test", "options")
		c.Close(nil, nil, []uint32{7, 1<<31 + i}, false)
	}
	c = open(root, "example.org/x.TestX/sub test", "options")
	if c.Tried[7] != 3 || c.Tried[1<<31] != 1 || c.Tried[1<<31+2] != 1 || len(c.Tried) != 4 || c.Given().Tried[7] != 3 || c.Trouble != "" || len(c.Entries) != 2 {
		t.Errorf("%+v", c)
	}
	// What is kept anyway is not written again.
	before := c.names()
	c.Close([]faults.Kept{a, d}, []faults.Kept{a, d}, nil, false)
	if got := c.names(); !reflect.DeepEqual(got, before) {
		t.Errorf("%v, and then %v", before, got)
	}
	c.Close(nil, nil, nil, true)
	if c = open(root, "example.org/x.TestX/sub test", "options"); c.Run != 0 || len(c.Entries) != 0 {
		t.Errorf("%+v", c)
	}
}

// TestDamaged has files that are damaged in each way.
func TestDamaged(t *testing.T) {
	good := new(Corpus).text(&faults.Kept{Plan: entry("lose:0:1", 3).Plan, Seed: 3, Draws: 1, Reached: []string{"x"}})
	if _, err := parse(good + "later: than this\n"); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{
		{good, ""}, {"por corpus v1", "por corpus v2"}, {"lose", "loose"}, {"seed: 3", "seed: -3"}, {"draws: 1", "draws: 0"},
		{"draws: 1", "draws: 1000000"}, {`"x"`, `"x`}, {"reached", "reach"}, {"plan: lose:0:1", "plan: "}, {"\"x\"\n", `"x"`},
		{"lose:0:1", "lose:0:1,lose:0:1"},
	} {
		text := strings.Replace(good, x[0], x[1], 1)
		if text == good {
			t.Fatal(x)
		}
		root := t.TempDir()
		c := open(root, "T", "")
		c.Close([]faults.Kept{entry("crash:0:1:1m0s", 1, "y")}, nil, nil, false)
		os.WriteFile(filepath.Join(c.dir, "damaged"), []byte(text), 0o666)
		c = open(root, "T", "")
		if len(c.Entries) != 1 || !strings.HasPrefix(c.Trouble, "ignored ") || strings.Count(c.Trouble, "\n") != 0 || !strings.Contains(c.Trouble, "damaged: ") {
			t.Errorf("%q: %+v", text, c)
		}
	}
	root := t.TempDir()
	c := open(root, "T", "")
	for i := range 3 {
		os.WriteFile(filepath.Join(c.dir, fmt.Sprint("large", i)), make([]byte, mostBytes+1), 0o666)
	}
	os.Mkdir(filepath.Join(c.dir, "folder"), 0o777)
	os.WriteFile(filepath.Join(c.dir, triedPrefix+"5"), []byte("00000001\n00000"), 0o666)
	os.WriteFile(filepath.Join(c.dir, triedPrefix+"6"), []byte("0000000x\n"), 0o666)
	os.WriteFile(filepath.Join(c.dir, triedPrefix+"7"), []byte(strings.Repeat("0000000a\n", mostTried+1)), 0o666)
	if c = open(root, "T", ""); !strings.HasSuffix(c.Trouble, "large0: it has 16385 bytes, and 5 more") {
		t.Error(c.Trouble)
	}
	// A folder that cannot be made is a file.
	os.WriteFile(filepath.Join(root, "file"), nil, 0o666)
	c = open(filepath.Join(root, "file"), "T", "")
	if c.Trouble == "" || c.Run != 0 {
		t.Errorf("%+v", c)
	}
	c.Close([]faults.Kept{entry("crash:0:1:1m0s", 1, "y")}, nil, nil, false)
	c.Close(nil, nil, nil, true)
}

// TestAtOnce has many processes use a folder at once. Each has a run of its own, and what they keep
// is there in the end.
func TestAtOnce(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	runs := make(map[uint64]bool)
	const n = 20
	for i := range n {
		wg.Go(func() {
			c := open(root, "T", "")
			if c.Trouble != "" {
				t.Error(c.Trouble)
			}
			mu.Lock()
			runs[c.Run] = true
			mu.Unlock()
			same, own := entry("lose:0:1", 3, "x"), entry("lose:0:2", uint64(i), "y")
			c.Close([]faults.Kept{same, own}, c.Entries[:len(c.Entries)/2], nil, false)
		})
	}
	wg.Wait()
	if len(runs) != n {
		t.Errorf("%d processes had %d numbers", n, len(runs))
	}
	if c := open(root, "T", ""); c.Trouble != "" || c.Run != n {
		t.Errorf("%+v", c)
	}
}

// TestClaim has processes that have all seen the same latest number, one of them long ago.
func TestClaim(t *testing.T) {
	root := t.TempDir()
	var all []*Corpus
	for range 3 {
		all = append(all, Open(root, "T", "", faults.All, faults.Most))
	}
	if files, err := os.ReadDir(root); err != nil || len(files) > 0 {
		t.Errorf("a folder is made by reading it: %v, %v", files, err)
	}
	for range 5 {
		all = append(all, open(root, "T", ""))
	}
	runs := make(map[uint64]bool)
	for i, c := range all {
		if i < 3 {
			c.Claim()
		}
		runs[c.Run] = true
	}
	if len(runs) != len(all) {
		t.Errorf("%d processes have the numbers %v", len(all), runs)
	}
	(*Corpus)(nil).Claim()
}

// TestBounded keeps no more than so many files and folders, and removes what was left of a process
// that was killed.
func TestBounded(t *testing.T) {
	root := t.TempDir()
	for run := range 2 {
		c := open(root, "T", "")
		var many []faults.Kept
		for i := range mostFiles {
			many = append(many, entry(fmt.Sprintf("lose:0:%d", i+run*mostFiles), 1, "x"))
		}
		part := filepath.Join(c.dir, partPrefix+"1")
		os.WriteFile(part, nil, 0o666)
		old := time.Now().Add(-time.Duration(1-run) * 2 * abandoned)
		os.Chtimes(part, old, old)
		c.Close(many, nil, nil, false)
		_, err := os.Stat(part)
		if got := len(c.names()) - run; got != mostFiles || (err == nil) != (run == 1) {
			t.Errorf("%d files, %v", got, err)
		}
	}
	for i := range mostFolders {
		os.Mkdir(filepath.Join(root, fmt.Sprint("folder", i)), 0o777)
	}
	c := open(root, "T", "")
	c.Close(nil, nil, nil, false)
	if got := len(list(root)); got > mostFolders || got < mostFolders-1 || len(open(root, "T", "").Entries) == 0 {
		t.Error(got)
	}
	for want := open(root, "T", "").Run + 1; want < 3*keptRuns; want++ {
		if c = open(root, "T", ""); c.Run != want {
			t.Fatalf("the run %d, want %d", c.Run, want)
		}
	}
	for n := range keptRuns + 3 {
		c = open(root, "T", "")
		c.Close(nil, nil, make([]uint32, 10+n/(keptRuns+2)*mostTried), false)
	}
	for _, prefix := range []string{runPrefix, triedPrefix} {
		if files, _ := filepath.Glob(filepath.Join(c.dir, prefix+"*")); len(files) > keptRuns+1 || len(files) < keptRuns {
			t.Errorf("%d files %s", len(files), prefix)
		}
	}
	if c = open(root, "T", ""); c.Trouble != "" || c.Tried[0] != 10*(keptRuns-1)+mostTried {
		t.Errorf("%s, %d", c.Trouble, c.Tried[0])
	}
	// Names that are too long are not kept.
	c.Close([]faults.Kept{entry("lose:0:1", 1, strings.Repeat("x", mostBytes))}, nil, nil, false)
	if c = open(root, "T", ""); c.Trouble != "" {
		t.Error(c.Trouble)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("por corpus v1\nplan: lose:0:1\nseed: 1\ndraws: 1\nreached: \"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(new(Corpus).text(k))
		if err != nil || again.String() != k.String() || !reflect.DeepEqual(again.Reached, k.Reached) {
			t.Errorf("%+v, %+v, %v", k, again, err)
		}
	})
}
