package por

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/naming"
)

//go:embed report_page.html
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
		Diagnosis *Diagnosis
		Sources   map[string]map[int]string
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

// export writes the diagnosis to the files that flags and the environment name, and returns
// what there is to say of that, a line each. That it has not worked is no failure.
func (d *Diagnosis) export() string {
	var b strings.Builder
	for _, x := range []struct {
		to, ext, what string
		write         func(io.Writer) error
	}{
		{cmp.Or(*htmlFlag, os.Getenv(environ.HTML)), ".html", "page", d.WriteHTML},
		{cmp.Or(*jsonFlag, os.Getenv(environ.JSON)), ".json", "data", d.writeJSON},
	} {
		if x.to == "" {
			continue
		}
		name, err := writeFile(x.to, x.ext, cmp.Or(d.Test, "failure"), x.write)
		if err != nil {
			fmt.Fprintf(&b, "%s: not written: %v\n", x.what, err)
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", x.what, name)
	}
	if to := cmp.Or(*htmlFlag, os.Getenv(environ.HTML)); to != "" && d.draw != nil {
		if name, isFile := strings.CutSuffix(to, ".html"); isFile {
			to = name + "-history.html"
		}
		name, err := writeFile(to, ".html", cmp.Or(d.Test, "failure")+"-history", d.draw)
		if err != nil {
			fmt.Fprintf(&b, "history: not written: %v\n", err)
		} else {
			fmt.Fprintf(&b, "history: %s\n", name)
		}
	}
	return b.String()
}

func (d *Diagnosis) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// exported counts the files that were written for each name.
var exported struct {
	sync.Mutex
	times map[string]int
}

var noFileName = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// writeFile writes a file: the one that to names, if that has the extension, else one in the
// folder to. What has been written by the process is not written over.
func writeFile(to, ext, test string, write func(io.Writer) error) (name string, err error) {
	base, isFile := strings.CutSuffix(to, ext)
	if !isFile {
		base = filepath.Join(to, noFileName.ReplaceAllString(test, "-"))
	}
	if err := os.MkdirAll(filepath.Dir(base+ext), 0o777); err != nil {
		return "", err
	}
	exported.Lock()
	if exported.times == nil {
		exported.times = make(map[string]int)
	}
	exported.times[base+ext]++
	n := exported.times[base+ext]
	exported.Unlock()
	name = base + ext
	if n > 1 {
		name = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return "", err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return "", err
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return name, nil
}

// annotation returns the line by which a failure is shown beside the source on GitHub, where
// it is run there; "" elsewhere.
func (d *Diagnosis) annotation() string {
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
