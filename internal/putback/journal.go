package putback

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A journal is a folder with copies of files, and with a list of what these files were. The
// process holds a lock on the list as long as it lives.
type journal struct {
	dir  string
	list *os.File
}

const (
	// listName is the name of the list. The name of the folder of a journal begins with madeName,
	// and with aboutName until the list is locked.
	listName  = "list"
	madeName  = "keeper-"
	aboutName = "new-"
)

// newJournal makes a journal below a folder.
func newJournal(folder string) (*journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(folder, aboutName)
	if err != nil {
		return nil, err
	}
	list, err := os.OpenFile(filepath.Join(dir, listName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	// On systems without locks no other process recovers the files.
	lock(list, true, false)
	made := filepath.Join(folder, madeName+strings.TrimPrefix(filepath.Base(dir), aboutName))
	if err := os.Rename(dir, made); err != nil {
		made = dir // some systems do not move folders with open files
	}
	return &journal{dir: made, list: list}, nil
}

const lineFormat = "%c %t %d %d %d %d %d %d %q %q %q\n"

// add adds a record. A later record of the same path replaces the earlier one.
func (j *journal) add(r *record) error {
	_, err := fmt.Fprintf(j.list, lineFormat, r.kind, r.whole, r.mode, r.time.UnixNano(), r.owner.user, r.owner.group,
		r.stamp.file.dev, r.stamp.file.ino, r.path, r.copy, r.target)
	return err
}

// empty says that all files were put back.
func (j *journal) empty() error { return j.list.Truncate(0) }

// close removes the journal.
func (j *journal) close() error {
	err := os.RemoveAll(j.dir)
	return cmp.Or(j.list.Close(), err)
}

// read returns the records of a journal. A line that was not written to its end is none: the
// process has not changed that file.
func read(list *os.File) (records []*record, at map[string]*record) {
	at = make(map[string]*record)
	in := bufio.NewReader(list)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return records, at
		}
		r := new(record)
		var nano int64
		if _, err := fmt.Sscanf(line, lineFormat, &r.kind, &r.whole, &r.mode, &nano, &r.owner.user, &r.owner.group,
			&r.stamp.file.dev, &r.stamp.file.ino, &r.path, &r.copy, &r.target); err != nil {
			return records, at
		}
		r.time = time.Unix(0, nano)
		if old := at[r.path]; old != nil {
			*old = *r
			continue
		}
		records = append(records, r)
		at[r.path] = r
	}
}

// afterwards is how long after its last record a process may have changed files.
const afterwards = time.Minute

// Recover puts back the files of all processes that were killed. It returns what is to be said of
// that: a line for each of them.
func Recover(folder string) (said []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), madeName):
			if text := recoverOne(name); text != "" {
				said = append(said, text)
			}
		case isOld(e) && (strings.HasPrefix(e.Name(), aboutName) || strings.HasPrefix(e.Name(), turnName)):
			os.RemoveAll(name)
		}
	}
	return said
}

func isOld(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > 24*time.Hour
}

// recoverOne puts back the files of one journal, if its process was killed.
func recoverOne(dir string) string {
	list, err := os.OpenFile(filepath.Join(dir, listName), os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer list.Close()
	info, err := list.Stat()
	if err != nil || !lock(list, true, false) {
		return ""
	}
	records, at := read(list)
	p := putter{dir: dir, records: records, at: at, until: info.ModTime().Add(afterwards)}
	err = p.run()
	os.RemoveAll(dir)
	switch {
	case err != nil:
		return fmt.Sprintf("a test was killed, and not all files that it has changed could be put back: %v", err)
	case len(p.left) > 0:
		return fmt.Sprintf("a test was killed, and files that have changed since stay as they are: %s", strings.Join(p.left, ", "))
	case len(records) > 0:
		return fmt.Sprintf("a test was killed, and the files that it has changed were put back: %s", records[0].describe(len(records)))
	}
	return ""
}

func (r *record) describe(n int) string {
	if n > 1 {
		return fmt.Sprintf("%s and %d more", r.path, n-1)
	}
	return r.path
}
