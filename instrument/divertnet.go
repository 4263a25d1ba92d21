package instrument

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// networkFiles are compiled as part of package net.
//
//go:embed network/*.go
var networkFiles embed.FS

// inMemory begins a statement for a netFD in memory, which is $1.
const inMemory = "if $1.gopor != nil { "

// ofNet has the statements to insert at the beginning of functions of package net. $1 is the first
// parameter, or the receiver of a method, and $2 the next one.
var ofNet = map[string]string{
	"socket": "if fd, ok, err := goporOpen($1, $2, $3, $4, $5, $6, $7, $8, $9); ok { return fd, err }",

	"netFD.Close":            inMemory + "return $1.goporClose() }",
	"netFD.closeRead":        inMemory + "return $1.goporCloseRead() }",
	"netFD.closeWrite":       inMemory + "return $1.goporCloseWrite() }",
	"netFD.accept":           inMemory + "return goporAccept($1) }",
	"netFD.dup":              inMemory + "return $1.goporDup() }",
	"netFD.Read":             inMemory + "return $1.goporRead($2) }",
	"netFD.Write":            inMemory + "return $1.goporWrite($2) }",
	"netFD.writeBuffers":     inMemory + "return $1.goporWriteBuffers($2) }",
	"netFD.readFrom":         inMemory + "return $1.goporReadFrom($2) }",
	"netFD.readFromInet4":    inMemory + "n, _, _, err := $1.goporReadFrom4($2, $3, readFromSyscallName); return n, err }",
	"netFD.readFromInet6":    inMemory + "n, _, _, err := $1.goporReadFrom6($2, $3, readFromSyscallName); return n, err }",
	"netFD.readMsg":          inMemory + "return $1.goporReadMsg($2) }",
	"netFD.readMsgInet4":     inMemory + "return $1.goporReadFrom4($2, $5, readMsgSyscallName) }",
	"netFD.readMsgInet6":     inMemory + "return $1.goporReadFrom6($2, $5, readMsgSyscallName) }",
	"netFD.writeTo":          inMemory + "return $1.goporSend($2, $3, writeToSyscallName) }",
	"netFD.writeToInet4":     inMemory + "return $1.goporSend($2, $3, writeToSyscallName) }",
	"netFD.writeToInet6":     inMemory + "return $1.goporSend($2, $3, writeToSyscallName) }",
	"netFD.writeMsg":         inMemory + "return $1.goporWriteMsg($2, $3, $4) }",
	"netFD.writeMsgInet4":    inMemory + "return $1.goporWriteMsg4($2, $3, $4) }",
	"netFD.writeMsgInet6":    inMemory + "return $1.goporWriteMsg6($2, $3, $4) }",
	"netFD.SetDeadline":      inMemory + "return $1.goporDeadline($2) }; $2 = goporRealDate($2)",
	"netFD.SetReadDeadline":  inMemory + "return $1.goporReadDeadline($2) }; $2 = goporRealDate($2)",
	"netFD.SetWriteDeadline": inMemory + "return $1.goporWriteDeadline($2) }; $2 = goporRealDate($2)",
	"UnixListener.close":     "if $1.fd.gopor != nil { return $1.goporClose() }",

	// Options of a socket.
	"setReadBuffer":             inMemory + "return nil }",
	"setWriteBuffer":            inMemory + "return nil }",
	"setKeepAlive":              inMemory + "return nil }",
	"setLinger":                 inMemory + "return $1.goporLinger($2) }",
	"setNoDelay":                inMemory + "return nil }",
	"setKeepAliveIdle":          inMemory + "return nil }",
	"setKeepAliveInterval":      inMemory + "return nil }",
	"setKeepAliveCount":         inMemory + "return nil }",
	"joinIPv4Group":             inMemory + "goporNote(\"a multicast group\"); return nil }",
	"joinIPv6Group":             inMemory + "goporNote(\"a multicast group\"); return nil }",
	"setIPv4MulticastInterface": inMemory + "return nil }",
	"setIPv4MulticastLoopback":  inMemory + "return nil }",
	"setIPv6MulticastInterface": inMemory + "return nil }",
	"setIPv6MulticastLoopback":  inMemory + "return nil }",
	"supportsIPv4":              "if goporProbed { return ipStackCaps.ipv4Enabled }",
	"supportsIPv6":              "if goporProbed { return ipStackCaps.ipv6Enabled }",
	"supportsIPv4map":           "if goporProbed { return ipStackCaps.ipv4MappedIPv6Enabled }",
	"sysDialer.dialParallel":    "if goporSockets() { return $1.dialSerial($2, append($3[:len($3):len($3)], $4...)) }",
	"rawConn.Control":           "if $1.ok() && $1.fd.gopor != nil { return $1.goporControl($2) }",
	"rawConn.Read":              "if $1.ok() && $1.fd.gopor != nil { return $1.goporTransfer(\"raw-read\") }",
	"rawConn.Write":             "if $1.ok() && $1.fd.gopor != nil { return $1.goporTransfer(\"raw-write\") }",
	"rawConn.PollFD":            "if $1.ok() && $1.fd.gopor != nil { return nil }",
	"newFileFD":                 "goporNoteFile()",

	// What the system copies from one socket to another.
	"spliceFrom":           "if goporMoves($1, $2, nil) { return 0, nil, false }",
	"spliceTo":             "if goporMoves($2, nil, $1) { return 0, nil, false }",
	"sendFile":             "if goporMoves($1, $2, nil) { return 0, nil, false }",
	"supportsMultipathTCP": "if goporSockets() { return false }",

	// Lookups.
	"Resolver.lookupIPAddr": "if addrs, ok, err := $1.goporLookup($2, $3, $4); ok { return addrs, err }",
	"Resolver.LookupHost":   "if addrs, ok, err := $1.goporLookupHost($2, $3); ok { return addrs, err }",
	"Resolver.lookupPort":   looksUp("int", "the port of the service \"+$4", "lookupPort", "$3, $4"),
	"Resolver.lookupCNAME":  looksUp("string", "the canonical name of \"+$3", "lookupCNAME", "$3"),
	"Resolver.lookupMX":     looksUp("[]*MX", "the mail servers of \"+$3", "lookupMX", "$3"),
	"Resolver.lookupNS":     looksUp("[]*NS", "the name servers of \"+$3", "lookupNS", "$3"),
	"Resolver.lookupTXT":    looksUp("[]string", "the text of \"+$3", "lookupTXT", "$3"),
	"Resolver.lookupAddr":   looksUp("[]string", "the name of \"+$3", "lookupAddr", "$3"),
	"Resolver.lookupSRV": "if $1.goporAsks() { var c string; var a []*SRV; var err error; goporAside(\"a lookup of the service \"+$3, " +
		"func() { c, a, err = $1.lookupSRV(goporBackground($2), $3, $4, $5) }); return c, a, err }",
}

// looksUp returns the statement for a method of a Resolver that looks up something of a type.
func looksUp(kind, what, method, args string) string {
	return "if $1.goporAsks() { var v " + kind + "; var err error; goporAside(\"a lookup of " + what +
		", func() { v, err = $1." + method + "(goporBackground($2), " + args + ") }); return v, err }"
}

// notEverywhere has those of these functions that not all systems have, or need.
var notEverywhere = []string{"spliceFrom", "spliceTo", "sendFile", "supportsMultipathTCP", "setIPv4MulticastInterface",
	"setIPv4MulticastLoopback", "setKeepAliveIdle", "setKeepAliveInterval", "setKeepAliveCount"}

// withNetwork returns the sources of package net with the sockets of executions. A netFD gets a
// field that is nil except for sockets that controlled goroutines have made on this machine.
//
//	func (fd *netFD) Read(p []byte) (n int, err error) {
//
// becomes, in the same line,
//
//	func (fd *netFD) Read(p []byte) (n int, err error) { if fd.gopor != nil { return
//		fd.goporRead(p) };
//
// It is an error if a function is missing, or has other parameters than package known says.
func withNetwork(sources []Source) ([]Source, error) {
	files, err := parseBare(sources)
	if err != nil {
		return nil, err
	}
	missing := maps.Clone(ofNet)
	hasField := false
	out := make([]Source, len(sources))
	for i, f := range files {
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				hasField = f.netField(d) || hasField
			case *ast.FuncDecl:
				if err := f.netPrologue(d, missing); err != nil {
					return nil, err
				}
			}
		}
		out[i] = Source{f.Name, f.Result()}
	}
	if !hasField {
		return nil, fmt.Errorf("package net has no struct netFD")
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if !slices.Contains(notEverywhere, name) {
			return nil, fmt.Errorf("package net has no function %s", name)
		}
	}
	more, err := networkSources(filepath.Dir(sources[0].Name))
	return append(out, more...), err
}

// parseBare parses files for changes of their text.
func parseBare(sources []Source) (files []*File, err error) {
	fset := token.NewFileSet()
	for _, s := range sources {
		f, err := parser.ParseFile(fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, &File{Name: s.Name, Src: s.Text, AST: f, tok: fset.File(f.Pos())})
	}
	return files, nil
}

// netField adds the field to the declaration of netFD, and reports whether d has that.
func (f *File) netField(d *ast.GenDecl) bool {
	for _, spec := range d.Specs {
		if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == "netFD" {
			if t, ok := s.Type.(*ast.StructType); ok {
				f.add(after, t.Fields.Opening, t.Fields.Opening+1, literal(" gopor *goporSocket; "))
				return true
			}
		}
	}
	return false
}

// netPrologue adds the statement for a function of package net, if any, and takes it from the
// missing ones.
func (f *File) netPrologue(fn *ast.FuncDecl, missing map[string]string) error {
	name, words := fn.Name.Name, []string(nil)
	if fn.Recv != nil {
		recv := fn.Recv.List[0]
		name = strings.TrimPrefix(f.source(recv.Type), "*") + "." + name
		if len(recv.Names) > 0 {
			words = append(words, recv.Names[0].Name)
		}
	}
	text := missing[name]
	if text == "" || fn.Body == nil {
		return nil
	}
	want, _ := known.Of("hook", "net."+name)
	if is := f.signature(fn.Type); is != want {
		if slices.Contains(notEverywhere, name) {
			return nil
		}
		return fmt.Errorf("net.%s is %s, not %s", name, is, want)
	}
	delete(missing, name)
	args, _ := arguments(fn.Type)
	words = append(words, strings.Split(args, ", ")...)
	for i := len(words) - 1; i >= 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), words[i])
	}
	f.add(after, fn.Body.Lbrace, fn.Body.Lbrace+1, literal(" "+text+"; "))
	return nil
}

// signature returns the parameters and results of a function, as package known has them.
func (f *File) signature(t *ast.FuncType) string {
	return "func" + strings.Join(strings.Fields(string(f.Src[f.offset(t.Params.Pos()):f.offset(t.End())])), " ")
}

// networkSources returns the files that package net gets, as if they were in a folder.
func networkSources(dir string) (sources []Source, err error) {
	entries, err := networkFiles.ReadDir("network")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := networkFiles.ReadFile("network/" + e.Name())
		if err != nil {
			return nil, err
		}
		sources = append(sources, Source{filepath.Join(dir, "gopor_"+e.Name()), text})
	}
	return sources, nil
}
