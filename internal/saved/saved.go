// Package saved has the files in which failing schedules are saved, below the folder of the
// test's package: testdata/por/TestName/HASH. Such a file is readable text:
//
//	por schedule v1
//	test: TestTransfer
//	check: TestTransfer
//	by: por.Check
//	flag: -tags=slow
//	headline: deadlock by lock order: g1 and g2 wait for each other
//	engine: optimal
//	time: discrete
//	replay: p1CD_4QAACAAEAAwABAQIAAQAKCgoK10GKFw
//
// Lines with other names are for later versions, and are ignored.
package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// header is the first line of every file, without the version.
const header = "por schedule "

const version = "v1"

var errVersion = errors.New("it is of another version of por")

// The values of [Schedule.By].
const (
	ByCheck    = "por.Check"
	ByExisting = "por test -check"
)

// Schedule is the content of a file.
type Schedule struct {
	Test string // the name of the test
	// Check is the name that the replay string refers to: the name of the test, perhaps with a
	// number, or that of the option Name.
	Check    string
	By       string   // the explorer: [ByCheck] or [ByExisting]
	Flags    []string // of go test or por test, if they make a difference
	Headline string   // of the failure
	Engine   string
	Time     string // the time model
	Replay   string
}

// Text returns the content of the file.
func (s *Schedule) Text() []byte {
	var b strings.Builder
	b.WriteString(header + version + "\n")
	line := func(name, value string) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(strings.Fields(value), " "))
	}
	line("test", s.Test)
	line("check", s.Check)
	line("by", s.By)
	for _, f := range s.Flags {
		line("flag", f)
	}
	line("headline", s.Headline)
	line("engine", s.Engine)
	line("time", s.Time)
	line("replay", s.Replay)
	return []byte(b.String())
}

// Parse parses the content of a file. The error says why the content cannot be used.
func Parse(text []byte) (*Schedule, error) {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	v, ok := strings.CutPrefix(lines[0], header)
	switch {
	case !ok:
		return nil, errors.New("it is not a saved schedule, or it is damaged: its first line is not " + header + version)
	case v != version:
		return nil, fmt.Errorf("%w: %s, and this one reads %s", errVersion, v, version)
	}
	s := new(Schedule)
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ": ")
		value = strings.Join(strings.Fields(value), " ") // an editor may have changed spaces
		switch name {
		case "test":
			s.Test = value
		case "check":
			s.Check = value
		case "by":
			s.By = value
		case "flag":
			if value != "" {
				s.Flags = append(s.Flags, value)
			}
		case "headline":
			s.Headline = value
		case "engine":
			s.Engine = value
		case "time":
			s.Time = value
		case "replay":
			s.Replay = value
		}
	}
	if s.Test == "" || s.Check == "" || s.Replay == "" || s.By != ByCheck && s.By != ByExisting {
		return nil, errors.New("it is damaged: it lacks the test, the check, the replay string, or which command has found it")
	}
	return s, nil
}

// Read reads a file.
func Read(file string) (*Schedule, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// root is the folder of all schedules, relative to the package's folder.
var root = filepath.Join("testdata", "por")

// longest is the maximal number of bytes of a folder's name.
const longest = 120

// Folder returns the folder of a test's schedules, relative to the package's folder.
func Folder(test string) string {
	dir := root
	for part := range strings.SplitSeq(test, "/") {
		dir = filepath.Join(dir, folderName(part))
	}
	return dir
}

// folderName returns a name that is valid for folders on all systems.
func folderName(part string) string {
	var b strings.Builder
	for i := range len(part) {
		switch c := part[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80, strings.IndexByte("_-+=,@#", c) >= 0:
			b.WriteByte(c)
		case c == '.' && i > 0 && i < len(part)-1:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name := b.String()
	switch {
	case name == "":
		return "%"
	case len(name) > longest || name != part:
		return name[:min(len(name), longest)] + "-" + hash(part, 4) // no two parts share a folder
	}
	return name
}

func hash(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// Write saves a schedule in the package's folder and returns the name of the file, relative to
// that folder. It never changes an existing file. If that is damaged, the schedule gets another
// name.
func Write(pkg string, s *Schedule) (string, error) {
	name := filepath.Join(Folder(s.Test), hash(s.Replay, 8))
	file := filepath.Join(pkg, name)
	for n := 2; ; n++ {
		old, err := Read(file)
		if err == nil && old.Replay == s.Replay || errors.Is(err, errVersion) {
			return name, nil
		}
		if _, err := os.Lstat(file); err != nil {
			break // the name is free
		}
		name = fmt.Sprintf("%s-%d", filepath.Join(Folder(s.Test), hash(s.Replay, 8)), n)
		file = filepath.Join(pkg, name)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	// A rename makes sure that the file is never visible in part.
	part := fmt.Sprintf("%s.%d", file, os.Getpid())
	err := os.WriteFile(part, s.Text(), 0o666)
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		os.Remove(part)
		Prune(filepath.Dir(file), pkg)
		return "", err
	}
	return name, nil
}

// An Entry is a file of a test's folder, with its content or an error.
type Entry struct {
	Name string // relative to the package's folder
	*Schedule
	Err error
}

// Load returns the saved schedules of a test, ordered by name. There are none if the folder
// cannot be read.
func Load(pkg, test string) []Entry {
	dir := Folder(test)
	files, err := os.ReadDir(filepath.Join(pkg, dir))
	if err != nil {
		return nil
	}
	var all []Entry
	for _, f := range files {
		if !f.Type().IsRegular() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		name := filepath.Join(dir, f.Name())
		s, err := Read(filepath.Join(pkg, name))
		all = append(all, Entry{name, s, err})
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Remove removes a file, and its parent folders as far as they become empty.
func Remove(pkg, name string) error {
	file := filepath.Join(pkg, name)
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	Prune(filepath.Dir(file), pkg)
	return nil
}

// Prune removes empty folders, from dir up to testdata in the folder of the package.
func Prune(dir, pkg string) {
	for dir != pkg && len(dir) > len(pkg) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// Package returns the folder of the package that a file is saved for, "" if the file is not in
// a place that [Write] uses.
func Package(file string) string {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if above, ok := strings.CutSuffix(dir, string(filepath.Separator)+root); ok {
			return above
		}
	}
	return ""
}
