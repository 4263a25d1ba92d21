package cluster

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gopor/gopor/internal/share"
)

// module is what programs are built with.
const module = "github.com/gopor/gopor"

// A Fingerprint is what programs have to have in common that share a search.
type Fingerprint struct {
	Binary  string // the SHA-256 of the test program
	Go      string // the release of Go that has built it
	System  string // what it was built for: "linux/amd64"
	Module  string // the version of gopor in it
	Test    string // the test that is explored
	Options string // what the search depends on besides, in words
	First   string // the first execution, which depends on the environment and on arguments as well
}

// fields are those of a fingerprint, with their names in messages and in the metadata of streams.
func (f *Fingerprint) fields() []field {
	return []field{{"binary", &f.Binary}, {"go", &f.Go}, {"system", &f.System}, {"gopor", &f.Module}, {"test", &f.Test}, {"options", &f.Options}, {"first-execution", &f.First}}
}

type field struct {
	name  string
	value *string
}

// NewFingerprint returns that of a test program, without what only a running program knows.
func NewFingerprint(program, test string) (Fingerprint, error) {
	f := Fingerprint{Test: test}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return f, fmt.Errorf("%s is no test program: %w", program, err)
	}
	f.Go = info.GoVersion
	system := make(map[string]string)
	for _, s := range info.Settings {
		system[s.Key] = s.Value
	}
	f.System = system["GOOS"] + "/" + system["GOARCH"]
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			f.Module = m.Version
		}
	}
	if f.Module = strings.TrimSpace(fmt.Sprint(f.Module, " protocol ", share.Protocol, " queue ", queueVersion)); f.System == "/" {
		f.System = "unknown"
	}
	r, err := os.Open(program)
	if err != nil {
		return f, err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return f, err
	}
	f.Binary = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

// metadata returns it for a stream.
func (f Fingerprint) metadata() map[string]string {
	m := make(map[string]string)
	for _, x := range f.fields() {
		m["gopor-"+x.name] = *x.value
	}
	return m
}

// ofMetadata returns that of a stream.
func ofMetadata(m map[string]string) (f Fingerprint) {
	for _, x := range f.fields() {
		*x.value = m["gopor-"+x.name]
	}
	return f
}

// Differs returns an error that names all in which f differs from what a search has. What f has not
// yet, options and the first execution, is not compared.
func (f Fingerprint) Differs(search Fingerprint) error {
	var texts []string
	theirs := search.fields()
	for i, x := range f.fields() {
		if is, want := *x.value, *theirs[i].value; is != want && is != "" {
			texts = append(texts, fmt.Sprintf("%s (%s here, %s there)", x.name, short(is), short(want)))
		}
	}
	if texts == nil {
		return nil
	}
	return fmt.Errorf("this is not the program of the search, which differs in %s", strings.Join(texts, ", "))
}

// short returns a value, or what tells it from others.
func short(value string) string {
	if len(value) == 64 {
		return value[:12]
	}
	if value == "" {
		return "unknown"
	}
	return printable(value)
}
