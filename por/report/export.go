package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/naming"
)

//go:embed page.html
var page []byte

// pageData is where the page has its data.
var pageData = []byte(">DATA<")

// aroundLine is how many lines of source a page has before a line that it is about, and
// after it.
const aroundLine = 4

// WriteHTML writes the diagnosis as a page to be opened in a browser: the execution as a
// diagram with a column for each goroutine, to be gone through step by step, with source,
// stacks and values. The page needs nothing but itself. It has the lines of source that the
// diagnosis names, which are read from their files.
func (d *Diagnosis) WriteHTML(w io.Writer) error {
	data, err := json.Marshal(struct {
		Diagnosis *Diagnosis                `json:"diagnosis"`
		Sources   map[string]map[int]string `json:"sources"`
	}{d, d.sources()})
	if err != nil {
		return fmt.Errorf("por: %w", err)
	}
	before, after, ok := bytes.Cut(page, pageData)
	if !ok {
		return fmt.Errorf("por: the page has no place for its data")
	}
	for _, part := range [][]byte{before, pageData[:1], data, pageData[len(pageData)-1:], after} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// sources returns the lines around those that the diagnosis names, by file and number.
func (d *Diagnosis) sources() map[string]map[int]string {
	src, out := sources{}, make(map[string]map[int]string)
	add := func(stack []Frame) {
		for _, f := range stack {
			if f.File == "" {
				continue
			}
			of := out[f.File]
			if of == nil {
				of = make(map[int]string)
				out[f.File] = of
			}
			src.line(f.File, 0)
			lines := src[f.File]
			for n := max(f.Line-aroundLine, 1); n <= min(f.Line+aroundLine, len(lines)); n++ {
				of[n] = strings.TrimRight(lines[n-1], "\r")
			}
		}
	}
	for _, p := range d.Parties {
		for _, a := range p.Acts {
			add(a.Stack)
		}
	}
	for i := range d.Steps {
		add(d.Steps[i].Stack)
	}
	return out
}

// Version is the version of the format that WriteJSON writes. Within a version fields are added,
// and none is renamed or removed.
const Version = 1

// WriteJSON writes the diagnosis as JSON, with its fields by their names, and the Version of the
// format.
func (d *Diagnosis) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Version int `json:"version"`
		*Diagnosis
	}{Version, d})
}

// Annotation returns the line by which a failure is shown beside the source on GitHub, where
// it is run there; "" elsewhere.
func (d *Diagnosis) Annotation() string {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return ""
	}
	place := ""
	if d.At.File != "" {
		file := naming.OnDisk(d.At.File)
		if root := os.Getenv("GITHUB_WORKSPACE"); root != "" {
			if rel, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(rel, "..") {
				file = filepath.ToSlash(rel)
			}
		}
		place = fmt.Sprintf("file=%s,line=%d,", property.Replace(file), d.At.Line)
	}
	message := d.Headline
	if d.Cause != "" {
		message += "\n" + d.Cause
	}
	return fmt.Sprintf("::error %stitle=%s::%s", place, property.Replace(cmp.Or(d.Test, d.Package)+" ("+d.Bug+")"), command.Replace(message))
}

// What a workflow command needs to be written otherwise.
var (
	command  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
