package suites

import (
	"fmt"
	"strings"
)

// servers are the packages. Tests that skip themselves, or fail outside of their package, count as
// taken.
var servers = []server{
	{"net/textproto", []count{{23, 3}, {23, 4}}},
	{"net/rpc", []count{{15, 0}, {15, 0}}},
	{"net/smtp", []count{{7, 8}, {7, 8}}},
	{"net/http/httptest", []count{{9, 2}, {12, 3}}},
	{"net/http/httputil", []count{{37, 7}, {37, 7}}},
	{"log/syslog", []count{{8, 0}, {8, 0}}},
	{"net", []count{{118, 176}, {120, 178}}},
	{"crypto/tls", []count{{48, 153}, {47, 168}}},
	{"net/http", []count{{467, 67}, {477, 75}}},
}

// different is the table of tests that come out otherwise under control. README.md shows it.
var different = []differs{
	{"net", "TestAllocs", fails, "counts allocations, and operations under control allocate", span{}},
	{"net", "TestReadUnixgramWithUnnamedSocket TestUnixgramLinuxAbstractLongName", fails, "sends by a system call of its own, which does not reach a socket in memory", span{}},
	{"net", "TestTCPListenerSpecificMethods TestUDPConnSpecificMethods TestUnixConnSpecificMethods TestUnixListenerSpecificMethods TestUnixUnlink", fails, "asks for the file of a socket, which a socket in memory does not have; the verdict says so", span{}},
	{"crypto/tls", "TestHandshakeChangeRootCAsResumption TestHandshakeGetConfigForClientDifferentClientCAs", long, "is at times said not to be deterministic, for a reason that is not known yet: it may be the cache of certificates, which goes by the garbage collector", span{}},
	{"crypto/tls", "TestTLSUniqueMatches", fails, "does not resume a session, for a reason that is not known yet; it is reported as not explored", span{before: "go1.27"}},
	{"net/http", "TestServerEmptyBodyRace TestTimeoutHandlerRaceHeader", long, "closes many connections in the order of a map of pointers, which differs from one execution to the next", span{}},
	{"net/http", "TestClientCallsCloseOnlyOnce TestHandlerAbortRacesBodyRead TestRequestLimit TestTransportGzip", long, "moves megabytes, with tens of thousands of operations: an execution takes longer than there is time", span{}},
	{"net/http", "TestIssue4191_InfiniteGetTimeout TestResponseControllerSetFutureWriteDeadline TestServerWriteTimeout", long, "writes without end until a timeout; virtual time stands still while a goroutine can run", span{}},
	{"net/http", "TestTransportPersistConnContextLeakMaxConnsPerHost TestTransportPersistConnLeakNeverIdle TestTransportGCRequest", long, "waits for the garbage collector, and memory that an execution uses stays as long as the execution", span{}},
}

// serversReadme returns the part of README.md on these.
func serversReadme() string {
	var b strings.Builder
	b.WriteString(`
## Servers and clients

Packages of which the tests talk by sockets. Tests that are a part of their package
import it with a dot, and those that need what only the package has are cut. The others
run without control and under control, and have to come out alike, for three schedules each.
Those of the second table do not.

| package | tests taken | cut | differ |
|---|---|---|---|
`)
	for _, s := range servers {
		n := 0
		for _, d := range different {
			if d.pkg == s.pkg {
				n += len(strings.Fields(d.tests))
			}
		}
		var taken, cut []string
		for i, of := range s.of {
			taken = append(taken, fmt.Sprintf("%s: %d", goName(releases[i]), of.taken))
			cut = append(cut, fmt.Sprintf("%s: %d", goName(releases[i]), of.cut))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d |\n", s.pkg, strings.Join(taken, ", "), strings.Join(cut, ", "), n)
	}
	b.WriteString("\n| of | tests | how it shows | because it |\n|---|---|---|---|\n")
	for _, d := range different {
		fmt.Fprintf(&b, "| %s | %s%s | %s | %s |\n", d.pkg, strings.ReplaceAll(d.tests, " ", ", "), d.releases(), shown[d.why], d.reason)
	}
	return b.String()
}
