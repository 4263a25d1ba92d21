// Package network has what packages net and net/http get for programs under control: statements at
// the beginning of functions, and files. Package instrument inserts them.
package network

import (
	"embed"
	"iter"
	"maps"
	"path"
	"slices"
)

// files are compiled as part of the packages. The folder of each is the last word of its path.
//
//go:embed files/*/*.go
var files embed.FS

// Files returns the names and texts of the files that a package gets, in one order.
func Files(pkg string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		dir := "files/" + path.Base(pkg)
		entries, err := files.ReadDir(dir)
		if err != nil {
			panic(err) // they are in the program
		}
		for _, e := range entries {
			text, err := files.ReadFile(dir + "/" + e.Name())
			if err != nil {
				panic(err)
			}
			if !yield(e.Name(), text) {
				return
			}
		}
	}
}

// inMemory begins a statement for a netFD in memory, which is $1.
const inMemory = "if $1.gopor != nil { "

// Statements has the statements to insert at the beginning of functions of each package. $1 is the
// first parameter, or the receiver of a method, and $2 the next one.
var Statements = map[string]map[string]string{
	"net":      ofNet,
	"net/http": {"Server.Serve": "goporServe($1, $2)"},
}

var ofNet = map[string]string{
	"socket": "if fd, ok, err := goporOpen($1, $2, $3, $4, $5, $6, $7, $8, $9); ok { return fd, err }",

	"netFD.Close":      inMemory + "return $1.goporClose() }; if $1.goporLeaves() { return nil }",
	"netFD.closeRead":  inMemory + "return $1.goporCloseRead() }",
	"netFD.closeWrite": inMemory + "return $1.goporCloseWrite() }",
	"netFD.accept": inMemory + "return goporAccept($1, $1.gopor.door) }; " +
		"if door := $1.goporTwin(); door != nil { return goporAccept($1, door) }; $1.goporAccepts()",
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
	"UnixListener.close":     "if $1.fd.gopor != nil { return $1.goporClose() }; $1.goporUnlinks()",

	// Options of a socket. What sets them for each new connection is left out.
	"newTCPConn":                inMemory + "return &TCPConn{conn{$1}} }",
	"setReadBuffer":             inMemory + "return $1.goporOption() }",
	"setWriteBuffer":            inMemory + "return $1.goporOption() }",
	"setKeepAlive":              inMemory + "return $1.goporOption() }",
	"setLinger":                 inMemory + "return $1.goporLinger($2) }",
	"setNoDelay":                inMemory + "return $1.goporOption() }",
	"setKeepAliveIdle":          inMemory + "return $1.goporOption() }",
	"setKeepAliveInterval":      inMemory + "return $1.goporOption() }",
	"setKeepAliveCount":         inMemory + "return $1.goporOption() }",
	"joinIPv4Group":             inMemory + "goporNote(\"a multicast group\"); return nil }",
	"joinIPv6Group":             inMemory + "goporNote(\"a multicast group\"); return nil }",
	"setIPv4MulticastInterface": inMemory + "return nil }",
	"setIPv4MulticastLoopback":  inMemory + "return nil }",
	"setIPv6MulticastInterface": inMemory + "return nil }",
	"setIPv6MulticastLoopback":  inMemory + "return nil }",
	"supportsIPv4":              "if goporProbed { return ipStackCaps.ipv4Enabled }",
	"supportsIPv6":              "if goporProbed { return ipStackCaps.ipv6Enabled }",
	"supportsIPv4map":           "if goporProbed { return ipStackCaps.ipv4MappedIPv6Enabled }",
	"Dialer.dialCtx":            "if $1.goporPlain($2) { return $2, func() {} }",
	"sysDialer.dialParallel":    "if goporSockets() { return $1.dialSerial($2, append($3[:len($3):len($3)], $4...)) }",
	"rawConn.Control":           "if $1.ok() && $1.fd.gopor != nil { return $1.goporControl($2) }",
	"rawConn.Read":              "if $1.ok() && $1.fd.gopor != nil { return $1.goporRead($2) }",
	"rawConn.Write":             "if $1.ok() && $1.fd.gopor != nil { return $1.goporWrite($2) }",
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
	"Resolver.lookupSRV": "if $1.goporAsks() { var c string; var a []*SRV; var err error; closed := goporAside(\"a lookup of the service \"+$3, " +
		"func() { c, a, err = $1.lookupSRV(goporBackground($2), $3, $4, $5) }); if closed != nil { err = closed }; return c, a, err }",
}

// looksUp returns the statement for a method of a Resolver that looks up something of a type.
func looksUp(kind, what, method, args string) string {
	return "if $1.goporAsks() { var v " + kind + "; var err error; closed := goporAside(\"a lookup of " + what +
		", func() { v, err = $1." + method + "(goporBackground($2), " + args + ") }); if closed != nil { err = closed }; return v, err }"
}

// NotEverywhere has those of these functions that not all systems have, or need.
var NotEverywhere = []string{"spliceFrom", "spliceTo", "sendFile", "supportsMultipathTCP", "setIPv4MulticastInterface",
	"setIPv4MulticastLoopback", "setKeepAliveIdle", "setKeepAliveInterval", "setKeepAliveCount"}

// Lacks returns the first of some functions that every system has, or "".
func Lacks(functions map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !slices.Contains(NotEverywhere, name) {
			return name
		}
	}
	return ""
}
