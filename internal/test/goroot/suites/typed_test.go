package suites

import (
	"errors"
	"fmt"
	"go/ast"
	constraint "go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file copies tests that are written as part of their package. Outside of it they import the
// package with a dot. Declarations that have errors of type then need what only the package has,
// and are cut, until there is none.

// copyServers copies the tests of a package of the standard library, and its test data.
func copyServers(goroot, dir, pkg string) (*suite, error) {
	src := filepath.Join(goroot, "src", filepath.FromSlash(pkg))
	found, err := filepath.Glob(filepath.Join(src, "*_test.go"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("the distribution lacks tests in src/%s", pkg)
	}
	c := &cutter{pkg: pkg, texts: make(map[string][]byte), why: make(map[string]string)}
	for _, name := range found {
		// Examples have declarations of the same names as tests.
		is, err := constraint.Default.MatchFile(src, filepath.Base(name))
		if err != nil || !is || strings.HasPrefix(filepath.Base(name), "example_") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = []byte(replacements.Replace(string(text)))
		outside, err := outsideOf(pkg, text)
		if err != nil {
			return nil, err
		}
		if outside != nil {
			c.texts[filepath.Base(name)] = outside
		}
	}
	if text := extras[pkg]; text != "" {
		c.texts["extra_test.go"] = []byte(text)
	}
	if err := c.cutAll(); err != nil {
		return nil, err
	}
	for name, text := range c.texts {
		if err := write(dir, filepath.Join(pkg, name), text); err != nil {
			return nil, err
		}
	}
	if data := filepath.Join(src, "testdata"); isFolder(data) {
		if err := os.CopyFS(filepath.Join(dir, pkg, "testdata"), os.DirFS(data)); err != nil {
			return nil, err
		}
	}
	slices.Sort(c.tests)
	return &suite{name: pkg, tests: c.tests, cut: c.why}, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// outsideOf makes a file of a package one of the package with its tests, in the same lines.
func outsideOf(pkg string, text []byte) ([]byte, error) {
	s, err := parse("x.go", text)
	if err != nil {
		return nil, err
	}
	for _, spec := range s.file.Imports {
		if _, path := importPath(spec); stubs[path] != "" {
			s.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(modulePath+"/"+path))
		}
	}
	if name := s.file.Name.Name; !strings.HasSuffix(name, "_test") {
		if withoutInside[pkg] {
			return nil, nil
		}
		s.replace(s.file.Name.Pos(), s.file.Name.End(), name+"_test; import . "+strconv.Quote(pkg))
	}
	return s.bytes(), nil
}

// withoutInside has packages of which only the tests outside of the package are taken. Others have
// declarations of the same names.
var withoutInside = map[string]bool{"net/http": true}

// replacements has what only tests inside of their packages can say.
var replacements = strings.NewReplacer(
	"\"internal/synctest\"", "\"testing/synctest\"",
	"http.CondSkipHTTP2(t)", "",
	"CondSkipHTTP2(t)", "",
	".WithT(t)", "",
	"err.isValid()", "error(nil)",
	"nestedErr.isValid()", "error(nil)",
	"nerr.isValid()", "error(nil)",
	"func localPipe(", "func pipeOfMain(",
	"http.ProtocolSetHTTP3(p)", "",
	"func registerHTTP3Transport(*http.Transport) <-chan *quic.Endpoint", "func registerHTTP3Transport(*http.Transport) <-chan *quic.Endpoint { return nil }",
	"func registerHTTP3Server(*http.Server) <-chan *quic.Endpoint", "func registerHTTP3Server(*http.Server) <-chan *quic.Endpoint { return nil }",
)

// extras has what tests need of their package.
var extras = map[string]string{
	"net": `package net_test

import (
	"sync"
	"time"
)

var (
	dnsWaitGroup sync.WaitGroup
	noDeadline   = time.Time{}
	aLongTimeAgo = time.Unix(1, 0)
)

func supportsIPv4() bool    { return true }
func supportsIPv6() bool    { return true }
func supportsIPv4map() bool { return true }
func supportsUnix() bool    { return true }
`,
	"crypto/tls": `package tls_test

import (
	. "crypto/tls"
	"net"
	"testing"
	"time"
)

func init() {
	testConfig = &Config{
		Time:               func() time.Time { return time.Unix(0, 0) },
		Certificates:       make([]Certificate, 2),
		InsecureSkipVerify: true,
		CurvePreferences:   []CurveID{X25519, CurveP256, CurveP384, CurveP521},
		MinVersion:         VersionTLS10,
		MaxVersion:         VersionTLS13,
	}
	testConfig.Certificates[0].Certificate = [][]byte{testRSACertificate}
	testConfig.Certificates[0].PrivateKey = testRSAPrivateKey
	testConfig.Certificates[1].Certificate = [][]byte{testSNICertificate}
	testConfig.Certificates[1].PrivateKey = testRSAPrivateKey
	testConfig.BuildNameToCertificate()
}

func localPipe(t testing.TB) (c, s net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if c, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if s, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return c, s
}
`,
	"net/http": `package http_test

import (
	"crypto/tls"
	. "net/http"
)

func ExportHttp2ConfigureServer(s *Server, _ any) error {
	if s.TLSConfig == nil {
		s.TLSConfig = new(tls.Config)
	}
	s.TLSConfig.NextProtos = append(s.TLSConfig.NextProtos, "h2", "http/1.1")
	return nil
}

func ExportHttp2ConfigureTransport(t *Transport) error {
	t.ForceAttemptHTTP2 = true
	return nil
}
`,
}

// cutter cuts what has errors of type.
type cutter struct {
	pkg   string
	texts map[string][]byte // by name of the file
	tests []string          // that stay
	why   map[string]string // tests that are cut
	std   types.Importer
}

// Import imports a package of the standard library, or a stub.
func (c *cutter) Import(path string) (*types.Package, error) {
	stub := stubs[strings.TrimPrefix(path, modulePath+"/")]
	if stub == "" {
		if strings.HasPrefix(path, "internal/") || strings.Contains(path+"/", "/internal/") || strings.HasPrefix(path, "golang.org/") {
			return nil, errors.New("package " + path)
		}
		return c.std.Import(path)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "stub.go", stub, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: c.std}
	return conf.Check(path, fset, []*ast.File{f}, nil)
}

// cutAll cuts until there are no errors.
func (c *cutter) cutAll() error {
	fset := token.NewFileSet()
	c.std = importer.ForCompiler(fset, "source", nil)
	for range 100 {
		again, err := c.cutOnce(fset)
		if err != nil || !again {
			return err
		}
	}
	return fmt.Errorf("there is no end of errors in the tests of %s", c.pkg)
}

// cutOnce cuts the declarations that have errors, and reports whether there were some.
func (c *cutter) cutOnce(fset *token.FileSet) (again bool, err error) {
	var files []*ast.File
	sources := make(map[string]*source)
	for _, name := range slices.Sorted(maps.Keys(c.texts)) {
		s := &source{name: name, text: c.texts[name], fset: fset}
		if s.file, err = parser.ParseFile(fset, name, s.text, parser.ParseComments); err != nil {
			return false, err
		}
		files, sources[name] = append(files, s.file), s
	}
	bad := make(map[ast.Node]string)
	conf := types.Config{Importer: c, Error: func(err error) {
		e := err.(types.Error)
		file := fset.Position(e.Pos).Filename
		if s := sources[file]; s != nil {
			if n := s.at(e.Pos); n != nil && bad[n] == "" {
				bad[n] = e.Msg
			}
		}
	}}
	conf.Check(c.pkg+"_test", fset, files, nil)
	c.tests = nil
	for _, s := range sources {
		c.cutFrom(s, bad)
	}
	return len(bad) > 0, nil
}

// at returns the declaration, or import, at a position.
func (s *source) at(pos token.Pos) ast.Node {
	for _, d := range s.file.Decls {
		if pos < d.Pos() || pos > d.End() {
			continue
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Lparen.IsValid() {
			for _, spec := range g.Specs {
				if spec.Pos() <= pos && pos <= spec.End() {
					return spec
				}
			}
		}
		return d
	}
	return nil
}

// cutFrom cuts what is bad from a file.
func (c *cutter) cutFrom(s *source, bad map[ast.Node]string) {
	any := false
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
			if why := bad[d]; why != "" {
				c.why[f.Name.Name] = why
			} else {
				c.tests = append(c.tests, f.Name.Name)
			}
		}
		if bad[d] != "" {
			any = true
			from := d.Pos()
			if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
				from = f.Doc.Pos() // it may hold a directive
			}
			s.cut(from, d.End())
		}
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if bad[spec] != "" {
					any = true
					s.cut(spec.Pos(), spec.End())
				}
			}
		}
	}
	if any {
		c.texts[s.name] = s.bytes()
	}
}
