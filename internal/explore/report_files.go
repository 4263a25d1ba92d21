package explore

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/por/report"
)

// Export writes a diagnosis to the files that flags and the environment name, and returns
// what there is to say of that, a line each. That it has not worked is no failure.
func (s *Session) Export(d *report.Diagnosis) string {
	var b strings.Builder
	html := placed(cmp.Or(*htmlFlag, os.Getenv(environ.HTML)), ".html", environ.Folder(), begun)
	json := placed(cmp.Or(*jsonFlag, os.Getenv(environ.JSON)), ".json", environ.Folder(), begun)
	for _, x := range []struct {
		to, ext, what string
		write         func(io.Writer) error
	}{
		{html, ".html", "page", d.WriteHTML},
		{json, ".json", "data", d.WriteJSON},
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
	if to := html; to != "" && d.History != "" && s.Subject.Draw != nil {
		if name, isFile := strings.CutSuffix(to, ".html"); isFile {
			to = name + "-history.html"
		}
		name, err := writeFile(to, ".html", cmp.Or(d.Test, "failure")+"-history", s.Subject.Draw)
		if err != nil {
			fmt.Fprintf(&b, "history: not written: %v\n", err)
		} else {
			fmt.Fprintf(&b, "history: %s\n", name)
		}
	}
	return b.String()
}

// begun is the folder in which the test program was started.
var begun, _ = os.Getwd()

// placed returns where the files go that a flag or a variable names, in a program that begins in
// its package's folder. If por test or por check was called, in another folder, the path is
// relative to that one. In a folder each package has its own then: two may have tests of one name.
func placed(to, ext, called, begun string) string {
	if to == "" || called == "" {
		return to
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(called, to)
	}
	if strings.HasSuffix(to, ext) {
		return to
	}
	inner, err := filepath.Rel(called, begun)
	if err != nil || !filepath.IsLocal(inner) {
		inner = filepath.Base(begun)
	}
	return filepath.Join(to, inner)
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
