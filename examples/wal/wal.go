// Package wal is a log that survives power failures: what was appended is there after a restart. A
// record is in the log when Append has returned. Now and then the log is rewritten, without the
// records that are no longer needed.
//
// It has three mistakes that can be switched on, each of which takes a fault of a file to show. The
// tests find them.
package wal

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// Bug is a mistake.
type Bug int

// The mistakes.
const (
	None     Bug = iota
	NoSync       // Append returns before the record is synced
	Deaf         // Append ignores that Sync has failed
	NoRename     // Compact renames the new file before that is synced
)

// Log is a log. Its methods must not be called at the same time.
type Log struct {
	dir     string
	bug     Bug
	f       *os.File
	records []string
}

const name, next = "wal.log", "wal.next"

// Open opens the log in a directory, or makes it. What is left of a record that was not written to
// its end is removed.
func Open(dir string, bug Bug) (*Log, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Log{dir: dir, bug: bug, f: f}
	if err := l.read(); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// read reads all records, and sets the position of the file behind the last whole one.
func (l *Log) read() error {
	var end int64
	lines := bufio.NewReader(l.f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		record, ok := parse(line)
		if !ok {
			break
		}
		l.records = append(l.records, record)
		end += int64(len(line))
	}
	if err := l.f.Truncate(end); err != nil {
		return err
	}
	if _, err := l.f.Seek(end, 0); err != nil {
		return err
	}
	// What an earlier life has not synced may be among the records.
	return l.f.Sync()
}

// line returns a record as a line, with a checksum before it.
func line(record string) []byte {
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE([]byte(record)), record)
}

func parse(text []byte) (record string, ok bool) {
	_, rest, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
	return string(rest), bytes.Equal(text, line(string(rest)))
}

// Records returns all records.
func (l *Log) Records() []string { return l.records }

// Append adds a record, which has no line breaks. If that fails the log cannot be used any more:
// open it again.
func (l *Log) Append(record string) error {
	if _, err := l.f.Write(line(record)); err != nil {
		return err
	}
	if l.bug != NoSync {
		if err := l.f.Sync(); err != nil && l.bug != Deaf {
			return err
		}
	}
	l.records = append(l.records, record)
	return nil
}

// Compact keeps the records for which keep returns true. All others are gone.
func (l *Log) Compact(keep func(record string) bool) error {
	f, err := os.Create(filepath.Join(l.dir, next))
	if err != nil {
		return err
	}
	var kept []string
	w := bufio.NewWriter(f)
	for _, r := range l.records {
		if keep(r) {
			kept = append(kept, r)
			w.Write(line(r))
		}
	}
	err = w.Flush()
	if err == nil && l.bug != NoRename {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(l.dir, name))
	}
	if err == nil {
		err = l.syncDir()
	}
	if err != nil {
		f.Close()
		return err
	}
	l.f.Close()
	l.f, l.records = f, kept
	return nil
}

// syncDir syncs the directory, so that the new name lasts.
func (l *Log) syncDir() error {
	d, err := os.Open(l.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Close closes the log.
func (l *Log) Close() error { return l.f.Close() }
