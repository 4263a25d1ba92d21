package putback

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limit is the total size of the files that a Keeper keeps aside, in bytes.
const Limit = 256 << 20

// A How says what an execution is about to do with a file.
type How int

const (
	Name    How = 1 << iota // the name appears, disappears, or gets another file
	Content                 // what the name leads to is changed
	Tree                    // the name and all below it disappear
	Link                    // with Name: the name gets a symbolic link
)

// A Keeper keeps files aside that executions change, and puts them back. The executions must not
// overlap.
type Keeper struct {
	folder string   // has the folders of all keepers
	own    []string // folders that are emptied otherwise, without symbolic links
	limit  int64

	mu      sync.Mutex
	journal *journal // nil before the first change
	turn    turn

	// Of the execution that goes on:
	records []*record
	at      map[string]*record // the records by their paths
	seen    map[string]How     // what was said of absolute names
	fresh   map[string]bool    // answers of Fresh
	absents int                // records of files that were absent
	links   bool               // symbolic links were made, or were given other names
	drawn   []string           // parts of names that no other process uses

	// Of all executions: the copies of files as executions find them.
	copies map[string]kept
	used   int64 // their size
	made   int   // copies so far
}

// kept is a copy of a file that had this stamp when it was last put back.
type kept struct {
	copy  string
	stamp stamp
	size  int64
}

// New returns a Keeper with its copies below a folder, which need not exist. Below the own
// folders no file is kept.
func New(folder string, own []string) *Keeper {
	k := &Keeper{folder: folder, limit: Limit, copies: make(map[string]kept)}
	for _, dir := range append([]string{folder}, own...) {
		if real, err := resolve(dir, true); err == nil {
			k.own = append(k.own, real)
		}
	}
	k.clear()
	return k
}

func (k *Keeper) clear() {
	k.records, k.absents, k.links, k.drawn = nil, 0, false, nil
	k.at, k.seen, k.fresh = make(map[string]*record), make(map[string]How), make(map[string]bool)
}

// Known reports whether Before was called for an absolute name with all of how, so that another
// call has no effect.
func (k *Keeper) Known(name string, how How) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return how&^k.seen[name] == 0
}

// Links reports whether symbolic links may be where there were none before the execution.
func (k *Keeper) Links() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.links
}

// Draws says that the names of new files have this part, which no other process uses.
func (k *Keeper) Draws(part string) {
	k.mu.Lock()
	k.drawn = append(k.drawn, part)
	k.mu.Unlock()
}

// DrawsSeveral reports whether several such names were drawn, so that their order is of one seed.
func (k *Keeper) DrawsSeveral() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.drawn) > 1
}

// Uses says that the execution uses a file of this absolute name, if that file was there before.
// Processes that share a search do not change it meanwhile.
func (k *Keeper) Uses(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isDrawn(name) {
		k.turn.take(k.folder, false)
	}
}

// Before keeps the file of an absolute name, which the execution is about to change. It reports
// whether there is such a file that the execution has not changed before. The error says why the
// file cannot be put back.
func (k *Keeper) Before(name string, how How) (added bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if how&^k.seen[name] == 0 {
		return false, nil
	}
	path, err := resolve(name, how&Content != 0)
	if err == nil {
		k.links = k.links || how&Link != 0
		before := k.at[path]
		err = k.keep(path, how)
		now := k.at[path]
		added = before == nil && now != nil && now.kind != absent
	}
	if how&(Name|Tree) != 0 { // other names may lead elsewhere from now on
		clear(k.seen)
		clear(k.fresh)
	}
	k.seen[name] |= how
	if err != nil {
		return added, fmt.Errorf("%s: %w", path, err)
	}
	return added, nil
}

// keep is Before for a path without symbolic links.
func (k *Keeper) keep(path string, how How) error {
	if k.isOwn(path) || k.covered(path) {
		return nil
	}
	if !k.isDrawn(path) {
		k.turn.take(k.folder, true)
	}
	if err := k.begin(); err != nil {
		return err
	}
	if how&(Name|Tree) != 0 || !exists(path) {
		path = k.topmost(path)
		if err := k.keepFolder(path); err != nil {
			return err
		}
	}
	if how&Tree != 0 {
		return k.keepTree(path)
	}
	return k.keepOne(path)
}

// begin makes the journal.
func (k *Keeper) begin() (err error) {
	if k.journal == nil {
		k.journal, err = newJournal(k.folder)
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// topmost returns the folder farthest above the path that does not exist, or else the path.
func (k *Keeper) topmost(path string) string {
	for top := path; ; top = filepath.Dir(top) {
		if exists(top) || filepath.Dir(top) == top {
			return path
		}
		path = top
	}
}

// isOwn reports whether the path is in a folder that is emptied otherwise.
func (k *Keeper) isOwn(path string) bool {
	return slices.ContainsFunc(k.own, func(dir string) bool { return isBelow(path, dir) })
}

func isBelow(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}

// isDrawn reports whether the path has a part that no other process uses.
func (k *Keeper) isDrawn(path string) bool {
	return slices.ContainsFunc(k.drawn, func(part string) bool { return strings.Contains(path, part) })
}

// covered reports whether the path is put back together with what is above it: that was no folder
// before the execution, or is a folder that is kept whole.
func (k *Keeper) covered(path string) bool {
	if r := k.at[path]; r != nil && (r.kind == absent || r.whole) {
		return true
	}
	for at := path; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		if r := k.at[at]; r != nil && (r.kind != folder || r.whole) {
			return true
		}
	}
	return false
}

// Fresh reports whether the execution itself has made the file of an absolute name, or a folder
// above it, so that nothing about it depends on what was there before.
func (k *Keeper) Fresh(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.absents == 0 {
		return false
	}
	fresh, ok := k.fresh[name]
	if !ok {
		if path, err := resolve(name, true); err == nil {
			for dir := path; !fresh; dir = filepath.Dir(dir) {
				r := k.at[dir]
				fresh = r != nil && r.kind == absent
				if dir == filepath.Dir(dir) {
					break
				}
			}
		}
		k.fresh[name] = fresh
	}
	return fresh
}

// keepFolder keeps what the folder of a path is, without its entries. Other processes change the
// folder of temporary files.
func (k *Keeper) keepFolder(path string) error {
	dir := filepath.Dir(path)
	if k.isDrawn(path) || dir == tempFolder() || dir == filepath.Dir(dir) {
		return nil
	}
	return k.keepOne(dir)
}

// tempFolder returns the folder for temporary files of the process.
func tempFolder() string {
	dir, err := resolve(os.TempDir(), true)
	if err != nil {
		return ""
	}
	return dir
}

// keepOne keeps one file, unless it is kept already.
func (k *Keeper) keepOne(path string) error {
	if k.at[path] != nil {
		return nil
	}
	now, err := capture(path)
	if err != nil {
		return err
	}
	if now.kind == regular {
		if err := k.keepContent(now); err != nil {
			return err
		}
	}
	k.records = append(k.records, now)
	k.at[path] = now
	k.links = k.links || now.kind == link
	if now.kind == absent {
		k.absents++
		clear(k.fresh)
	}
	return k.journal.add(now)
}

// keepContent makes the copy of a regular file, unless there is one.
func (k *Keeper) keepContent(r *record) error {
	old, ok := k.copies[r.path]
	if ok && old.stamp == r.stamp && r.stamp != (stamp{}) {
		r.copy = old.copy
		return nil
	}
	if ok {
		delete(k.copies, r.path)
		k.used -= old.size
		os.Remove(filepath.Join(k.journal.dir, old.copy))
	}
	if k.used+r.size > k.limit {
		return &TooLarge{r.size, k.limit}
	}
	k.made++
	name := fmt.Sprintf("c%d", k.made)
	if err := copyFile(filepath.Join(k.journal.dir, name), r.path, 0o600); err != nil {
		return err
	}
	k.used += r.size
	k.copies[r.path] = kept{copy: name, size: r.size}
	r.copy = name
	return nil
}

// TooLarge is the error for a file that would exceed the limit of a Keeper.
type TooLarge struct{ Size, Limit int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%.1f MB are too many to keep aside (the limit is %d MB in all)", float64(e.Size)/(1<<20), e.Limit>>20)
}

// keepTree keeps a file, and all that is below it if it is a folder.
func (k *Keeper) keepTree(path string) error {
	if err := k.keepOne(path); err != nil {
		return err
	}
	r := k.at[path]
	if r.kind != folder || r.whole {
		return nil
	}
	entries, err := os.ReadDir(path)
	if now, wrong := capture(path); wrong == nil && now.kind != folder {
		err = nil // all that was in it has records
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := k.keepTree(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	r.whole = true
	return k.journal.add(r)
}

// PutBack puts all files back. The error says which could not be put back.
func (k *Keeper) PutBack() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.turn.leave()
	var err error
	if len(k.records) > 0 {
		remember(k.records)
		p := putter{dir: k.journal.dir, records: k.records, at: k.at}
		if err = p.run(); err == nil {
			for _, r := range k.records {
				k.settle(r)
			}
		}
		err = cmp.Or(err, k.journal.empty())
	}
	k.clear()
	return err
}

// settle notes how a file looks after it was put back.
func (k *Keeper) settle(r *record) {
	if r.copy == "" {
		return
	}
	c := k.copies[r.path]
	if now, err := capture(r.path); err == nil && now.kind == regular && c.copy == r.copy {
		c.stamp = now.stamp
		k.copies[r.path] = c
	}
}

// Close removes what the Keeper has made for itself.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turn.close()
	if k.journal == nil {
		return nil
	}
	err := k.journal.close()
	k.journal, k.used = nil, 0
	clear(k.copies)
	return err
}

// putter puts files back.
type putter struct {
	dir     string // has the copies
	records []*record
	at      map[string]*record
	// Files that were changed later belong to another process, and stay. The zero time means
	// that there are none.
	until time.Time
	left  []string // files that stay for that
	err   error
}

// run puts back folders before what is in them. Permissions and times of folders come last, from
// the inside out.
func (p *putter) run() error {
	byLength := func(a, b *record) int { return cmp.Compare(len(a.path), len(b.path)) }
	all := slices.SortedStableFunc(slices.Values(p.records), byLength)
	for _, r := range all {
		p.note(p.put(r))
	}
	slices.Reverse(all)
	for _, r := range all {
		if r.kind == folder && !r.stays {
			p.note(r.finish())
		}
	}
	return p.err
}

func (p *putter) note(err error) { p.err = cmp.Or(p.err, err) }

// put puts back one file.
func (p *putter) put(r *record) error {
	if !p.until.IsZero() && r.changedAfter(p.until) {
		r.stays = true
		p.left = append(p.left, r.path)
		return nil
	}
	switch r.kind {
	case absent:
		return remove(r.path)
	case folder:
		return p.putFolder(r)
	case regular:
		return p.putRegular(r)
	case link:
		return p.putLink(r)
	case node:
		return p.putNode(r)
	}
	return nil
}
