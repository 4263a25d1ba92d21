package build

import (
	"path/filepath"
	"slices"
	"strings"
)

// announcing are the packages of the standard library whose accesses of memory are seen as
// those of the program are, where controlled goroutines make them. Left out are those that
// the packages import which they are given in place of package sync and its like, those
// that synchronise by channels, which are not under control there, and what is of no
// interest.
var announcing = strings.Fields(`archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip
	compress/lzw compress/zlib container/heap container/list container/ring
	crypto crypto/aes crypto/cipher crypto/des crypto/hmac crypto/internal/fips140/aes crypto/internal/fips140/aes/gcm
	crypto/internal/fips140/hmac crypto/internal/fips140/sha256 crypto/internal/fips140/sha3 crypto/internal/fips140/sha512
	crypto/md5 crypto/rc4 crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle crypto/tls crypto/x509 encoding encoding/ascii85 encoding/asn1
	encoding/base32 encoding/base64 encoding/binary encoding/csv encoding/gob encoding/hex encoding/json
	encoding/json/internal/jsonflags encoding/json/internal/jsonopts encoding/json/internal/jsonwire encoding/json/jsontext encoding/json/v2 encoding/pem
	encoding/xml expvar flag fmt go/ast go/build/constraint go/constant go/format go/parser go/printer
	go/scanner go/token hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash html html/template image image/color image/draw
	index/suffixarray internal/reflectlite io log log/slog log/slog/internal log/slog/internal/buffer maps math/big math/rand math/rand/v2
	mime mime/multipart mime/quotedprintable net/http net/http/cookiejar net/http/httptest net/http/internal
	net/mail net/netip net/textproto net/url os/signal path path/filepath reflect regexp regexp/syntax slices sort strconv strings
	testing/internal/testdeps text/scanner text/tabwriter text/template text/template/parse time unicode unicode/utf16
	unicode/utf8`)

// Entries has those of them of which only maps and slices of elements are seen, and only in some files, by name:
// the others synchronise by channels.
var Entries = map[string][]string{"net/http": {"header.go"}}

// Keeping has those files of them by name that change, or look at, what the package keeps.
var Keeping = map[string][]string{"net/http": {"server.go"}}

// Clocked has others, which are part of announcing too, of which some files ask for the time, by name.
var Clocked = map[string][]string{"crypto/tls": {"common.go", "conn.go"}, "crypto/x509": {"verify.go"}}

// controlled are the packages of the standard library that are under control like the
// program: they keep goroutines or let callers wait for each other, and nothing that
// this module needs imports them; or they are handed tests, or draw random numbers and ask for the time.
var controlled = []string{"database/sql", "net/rpc", "net/rpc/jsonrpc", "testing/slogtest", "uuid"}

// Some has the packages of which some files are, by name: what they do without the
// operating system.
var Some = map[string][]string{"net": {"pipe.go"}}

// diverting are the packages of the standard library by which output, and what a test is
// told, leave the process: where controlled goroutines use them it goes to their execution.
var diverting = []string{"os", "testing"}

// IsAnnouncing, IsControlled and IsDiverting report whether a package of the standard library is one of those.
func IsAnnouncing(path string) bool { return slices.Contains(announcing, path) }

func IsControlled(path string) bool { return slices.Contains(controlled, path) }

func IsDiverting(path string) bool { return slices.Contains(diverting, path) }

// quiet are the packages that those have in place of others.
var quiet = map[string]string{
	"sync":        module + "/sched/std/internal/quiet/sync",
	"sync/atomic": module + "/sched/std/internal/quiet/atomic",
}

// forStd are the packages of this module that they import.
var forStd = []string{module + "/sched/native/access", quiet["sync"], quiet["sync/atomic"]}

// prepareStd compiles what packages of the standard library need that announce accesses of
// memory, and saves the plan for these.
func (b *Build) prepareStd() error {
	plan := &Plan{Archives: map[string]string{}, Twins: quiet, Tool: b.ToolID, Unknown: b.Unknown()}
	text, err := b.compile(forStd)
	if err != nil {
		return err
	}
	plan.add(text)
	b.stdPlan, err = plan.save(b.plans)
	return err
}

// add adds the archives that the lines of a text name.
func (p *Plan) add(text string) {
	for line := range strings.Lines(text) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			p.Archives[path] = file
		}
	}
}

// mapsPackage is the package of the standard library by which loops over maps get their
// order.
const mapsPackage = "internal/runtime/maps"

// prepareMaps compiles the package so that the order is the same in all executions, and
// saves the name of its archive in the plan: the linker takes it in place of the usual one.
func (b *Build) prepareMaps(plan *Plan) error {
	all := b.gcflagsOfAll()
	name, err := b.list("-export", "-f", "{{.Export}}", "-gcflags=std="+all, "-gcflags="+mapsPackage+"="+strings.TrimSpace(MarkMaps+"="+b.ToolID+" "+all),
		b.toolexec(filepath.Join(b.plans, "none")), mapsPackage)
	plan.Maps = strings.TrimSpace(name)
	return err
}
