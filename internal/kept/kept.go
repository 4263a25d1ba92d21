// Package kept has the files in which a search with faults passes on to later ones what has reached
// something rare, how often it has run, and which plans it has tried. There is a folder for each
// test and for all that makes its executions what they are. A file of it is readable text:
//
//	por corpus v1
//	test: example.org/shop.TestCluster
//	plan: crash:0.1:5:100ms
//	seed: 4294967313
//	draws: 3
//	reached: "a leader is elected twice"
//
// Names of other lines are for later versions, and are ignored. Several processes may use a folder
// at once: a file never changes, and is never visible in part.
package kept

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/faults"
)

const (
	header = "por corpus v1"
	// Files that are larger are damaged. Of a folder, and of all folders of a cache, files and
	// folders go that were not used for longest.
	mostBytes   = 1 << 14
	mostFiles   = 2 * faults.MostKept
	mostFolders = 1000
	// Files of a process that was killed go after a time.
	abandoned = time.Hour

	// So many numbers of runs stay.
	keptRuns = 64

	// The hashes of plans that a search has tried are a file, with a line for each.
	mostTried = 4096

	runPrefix   = "run-"
	triedPrefix = "tried-"
	partPrefix  = ".new-"
)

// Corpus is the folder of a test.
type Corpus struct {
	// Run is how many searches have begun with the folder before this one.
	Run     uint64
	Entries []faults.Kept // with faults that are allowed
	// Tried says how many of the latest searches have drawn executions with a plan, by its hash.
	Tried map[uint32]int
	// Trouble says in a line what is wrong with the folder or its files, "" for nothing.
	Trouble string
	test    string
	dir     string
	files   map[string]string // the name of the file, by the text of an entry
}

// Open reads the folder of a test below root, if there is one. The key is text that differs if the
// executions of the test are others. Entries with more faults than most, or of other kinds, are
// left alone. The result is usable even if nothing can be read.
func Open(root, test, key string, kinds faults.Kind, most int) *Corpus {
	sum := sha256.Sum256([]byte(test + "\x00" + key))
	c := &Corpus{test: test, dir: filepath.Join(root, folderName(test)+"-"+hex.EncodeToString(sum[:8])), files: make(map[string]string), Tried: make(map[uint32]int)}
	c.load()
	c.Entries = slices.DeleteFunc(c.Entries, func(k faults.Kept) bool { return k.Plan.Kinds()&^kinds != 0 || len(k.Plan) > most })
	c.Run = latest(c.dir)
	return c
}

// Runs returns how many searches have begun before this one, 0 without a corpus.
func (c *Corpus) Runs() uint64 {
	if c == nil {
		return 0
	}
	return c.Run
}

// Given returns what a search is given. C may be nil. Each search has other seeds.
func (c *Corpus) Given() faults.Corpus {
	if c == nil {
		return faults.Corpus{}
	}
	return faults.Corpus{Keep: c.Entries, Salt: c.Run << 32, Tried: c.Tried}
}

// Names returns the properties that the entries have reached.
func (c *Corpus) Names() (all []string) {
	for _, k := range c.Entries {
		all = append(all, k.Reached...)
	}
	return all
}

// folderName returns the end of a test's name as a name of a folder that any system allows.
func folderName(test string) string {
	name := []byte(test[strings.LastIndexByte(test, '/')+1:])
	for i, x := range name {
		switch {
		case 'a' <= x && x <= 'z', 'A' <= x && x <= 'Z', '0' <= x && x <= '9', x == '-', x == '_':
		default:
			name[i] = '_'
		}
	}
	return string(name[:min(len(name), 80)])
}

// trouble notes the first thing that is wrong.
func (c *Corpus) trouble(err error) { c.Trouble = cmp.Or(c.Trouble, err.Error()) }

// load reads the entries.
func (c *Corpus) load() {
	files, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.trouble(err)
	}
	damaged, first := 0, error(nil)
	for _, f := range files {
		name := f.Name()
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, runPrefix) || !f.Type().IsRegular() {
			continue
		}
		k, err := new(faults.Kept), error(nil)
		tried := strings.HasPrefix(name, triedPrefix)
		if tried {
			err = c.readTried(name)
		} else {
			k, err = c.read(name)
		}
		switch {
		case errors.Is(err, os.ErrNotExist): // another process has removed it
		case err != nil:
			first = cmp.Or(first, fmt.Errorf("%s: %w", filepath.Join(c.dir, name), err))
			damaged++
		case !tried:
			c.Entries = append(c.Entries, *k)
			c.files[c.text(k)] = name
		}
	}
	if first != nil {
		more := ""
		if damaged > 1 {
			more = fmt.Sprintf(", and %d more", damaged-1)
		}
		c.trouble(fmt.Errorf("ignored %w%s", first, more))
	}
}

// read reads a file.
func (c *Corpus) read(name string) (*faults.Kept, error) {
	file := filepath.Join(c.dir, name)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostBytes {
		return nil, fmt.Errorf("it has %d bytes", info.Size())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// readTried reads a file of plans that a search has tried.
func (c *Corpus) readTried(name string) error {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if last := len(lines) - 1; last > mostTried || lines[last] != "" {
		return errors.New("it is cut, or too long")
	}
	for _, l := range lines[:len(lines)-1] {
		n, err := strconv.ParseUint(l, 16, 32)
		if err != nil {
			return err
		}
		c.Tried[uint32(n)]++
	}
	return nil
}

// parse parses the text of an entry.
func parse(text string) (*faults.Kept, error) {
	lines := strings.Split(text, "\n")
	if lines[0] != header {
		return nil, errors.New("its first line is not " + header)
	}
	if lines[len(lines)-1] != "" {
		return nil, errors.New("its last line has no end")
	}
	k := new(faults.Kept)
	for _, l := range lines[1:] {
		var err error
		name, value, _ := strings.Cut(l, ": ")
		switch name {
		case "plan":
			k.Plan, err = faults.Parse(value)
		case "seed":
			k.Seed, err = strconv.ParseUint(value, 10, 64)
		case "draws":
			k.Draws, err = strconv.ParseInt(value, 10, 64)
		case "reached":
			var property string
			property, err = strconv.Unquote(value)
			k.Reached = append(k.Reached, property)
		}
		if err != nil {
			return nil, fmt.Errorf("the line %q: %w", l, err)
		}
	}
	if len(k.Plan) == 0 || k.Draws < 1 || k.Draws > faults.Draws || len(k.Reached) == 0 {
		return nil, errors.New("it lacks a plan, draws or what is reached")
	}
	return k, nil
}

// text returns the text of an entry.
func (c *Corpus) text(k *faults.Kept) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\ntest: %s\nplan: %v\nseed: %d\ndraws: %d\n", header, strings.Join(strings.Fields(c.test), " "), k.Plan, k.Seed, k.Draws)
	for _, name := range k.Reached {
		fmt.Fprintf(&b, "reached: %q\n", name)
	}
	return b.String()
}

// Claim makes the folder if there is none, and takes the next number of a run, which no other
// process gets. C may be nil.
func (c *Corpus) Claim() {
	if c == nil {
		return
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		c.trouble(err)
		return
	}
	for ; ; c.Run++ {
		f, err := os.OpenFile(c.runFile(c.Run+1), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			c.trouble(err)
			return
		}
		f.Close()
		// The latest ones stay, so that a process which has read the folder before does not
		// take one of them again.
		for n := c.Run; n > keptRuns && os.Remove(c.runFile(n-keptRuns)) == nil; n-- {
		}
		return
	}
}

func (c *Corpus) runFile(n uint64) string {
	return filepath.Join(c.dir, fmt.Sprintf("%s%d", runPrefix, n))
}

// latest returns the largest number of a run in a folder.
func latest(dir string) (most uint64) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if number, ok := strings.CutPrefix(f.Name(), runPrefix); ok {
			if n, err := strconv.ParseUint(number, 10, 32); err == nil {
				most = max(most, n)
			}
		}
	}
	return most
}

// Close has the folder keep what a search has found, and which plans it has tried. It removes
// entries that were checked and not found, or the folder if there is nothing left that a later
// search could find.
func (c *Corpus) Close(found, checked []faults.Kept, tried []uint32, all bool) {
	if all {
		os.RemoveAll(c.dir)
		return
	}
	stays := make(map[string]bool)
	for i := range found {
		text := c.text(&found[i])
		stays[text] = true
		if sum := sha256.Sum256([]byte(text)); c.files[text] == "" && len(text) <= mostBytes {
			c.write(hex.EncodeToString(sum[:8]), text)
		}
	}
	if len(tried) > 0 {
		var b strings.Builder
		for _, h := range tried[:min(len(tried), mostTried)] {
			fmt.Fprintf(&b, "%08x\n", h)
		}
		c.write(fmt.Sprint(triedPrefix, c.Run+1), b.String())
	}
	for i := range checked {
		if text := c.text(&checked[i]); !stays[text] && c.files[text] != "" {
			os.Remove(filepath.Join(c.dir, c.files[text]))
		}
	}
	c.trim()
}

// write writes a file.
func (c *Corpus) write(name, text string) {
	f, err := os.CreateTemp(c.dir, partPrefix)
	if err != nil {
		c.trouble(err)
		return
	}
	_, err = f.WriteString(text)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
		c.trouble(err)
	}
}

// trim bounds the folder, and the number of folders beside it.
func (c *Corpus) trim() {
	var entries, tried []used
	for _, f := range list(c.dir) {
		switch {
		case strings.HasPrefix(f.name, partPrefix):
			if time.Since(f.at) > abandoned {
				os.Remove(filepath.Join(c.dir, f.name))
			}
		case strings.HasPrefix(f.name, triedPrefix):
			tried = append(tried, f)
		case !strings.HasPrefix(f.name, runPrefix):
			entries = append(entries, f)
		}
	}
	for _, f := range append(entries[:max(0, len(entries)-mostFiles)], tried[:max(0, len(tried)-keptRuns)]...) {
		os.Remove(filepath.Join(c.dir, f.name))
	}
	root := filepath.Dir(c.dir)
	folders := list(root)
	for _, f := range folders[:max(0, len(folders)-mostFolders)] {
		if f.name != filepath.Base(c.dir) {
			os.RemoveAll(filepath.Join(root, f.name))
		}
	}
}

// used is a file or a folder, with when it was changed.
type used struct {
	name string
	at   time.Time
}

// list returns what is in a folder, what has not changed for longest first.
func list(dir string) (all []used) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			all = append(all, used{f.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b used) int { return a.at.Compare(b.at) })
	return all
}
