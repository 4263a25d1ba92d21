package network_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
)

var streams = exec.Options{Model: sched.ModelStream}

// TestJoined reads what two Writes have written, by Reads of up to n bytes, in all ways that there
// are, and compares them with those by the definition: a piece, all, or a byte.
func TestJoined(t *testing.T) {
	for n := 1; n <= 5; n++ {
		found := closures.Outcomes(t, streams, func() string {
			c, peer := connect(t, false)
			c.Write([]byte("ab"))
			c.Write([]byte("cde"))
			c.Close()
			return parts(peer, n)
		})
		want := map[string]bool{}
		portions([]string{"ab", "cde"}, n, "", want)
		if got := found.List(); got != strings.Join(sorted(want), " | ") || found.Traces != len(want) {
			t.Errorf("Reads of %d bytes: %d traces: %s, want %q", n, found.Traces, got, sorted(want))
		}
	}
}

func sorted(set map[string]bool) (list []string) {
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// parts reads up to the end.
func parts(c *network.Conn, n int) string {
	var b strings.Builder
	for {
		data, err := c.Read(n)
		if err != nil {
			return b.String()
		}
		fmt.Fprintf(&b, "%s ", data)
	}
}

// portions adds all ways to read the pieces.
func portions(pieces []string, n int, before string, all map[string]bool) {
	if len(pieces) == 0 {
		all[before] = true
		return
	}
	joined := strings.Join(pieces, "")
	for _, k := range []int{len(pieces[0]), len(joined), 1} {
		k = min(k, n)
		var rest []string
		left := k
		for _, p := range pieces {
			cut := min(left, len(p))
			if left -= cut; cut < len(p) {
				rest = append(rest, p[cut:])
			}
		}
		portions(rest, n, before+joined[:k]+" ", all)
	}
}

// TestJoinedTraces counts traces in which only some Reads join and split.
func TestJoinedTraces(t *testing.T) {
	joins := func() bool { return true }
	tests := []struct {
		what string
		f    func(c, peer *network.Conn)
		want int
	}{
		{"a caller that reads on", func(c, peer *network.Conn) {
			sched.Go(func() { c.Write([]byte("ab")); c.Write([]byte("cd")) })
			for range 2 {
				peer.ReadFor(8, joins)
			}
		}, 1},
		{"a Read after a deadline that has passed", func(c, peer *network.Conn) {
			c.Write([]byte("ab"))
			peer.SetReadDeadline(0)
			peer.Read(8)
		}, 1},
		{"a Read at the end", func(c, peer *network.Conn) {
			c.Close()
			peer.Read(8)
		}, 1},
		{"a Read of one byte that waits", func(c, peer *network.Conn) {
			sched.Go(func() { peer.Read(1) })
		}, 1},
		// There are four ways to read it. A further Read does not depend on Close.
		{"Close after all was read", func(c, peer *network.Conn) {
			c.Write([]byte("ab"))
			c.Write([]byte("c"))
			for n := 0; n < 3; {
				data, _ := peer.Read(8)
				n += len(data)
			}
			h := sched.Go(func() { peer.ReadFor(8, joins) })
			peer.Close()
			h.Join()
		}, 4},
	}
	for _, tt := range tests {
		o := streams
		o.AllowLeaks = true
		found := closures.Traces(t, o, func() {
			c, peer := connect(t, false)
			tt.f(c, peer)
		})
		if found.Traces != tt.want {
			t.Errorf("%s: %d traces, want %d", tt.what, found.Traces, tt.want)
		}
	}
}

// TestJoinedRoom has a Write that waits for room. A Read of all that there is lets it return.
func TestJoinedRoom(t *testing.T) {
	found := closures.Outcomes(t, exec.Options{Model: sched.ModelStream, AllowLeaks: true}, func() string {
		c, peer := connect(t, false)
		returned := 0
		sched.Go(func() {
			for range 3 {
				c.Write(full)
				returned++
			}
		})
		data, _ := peer.Read(1 << 20)
		sched.Sleep(1)
		return fmt.Sprint(len(data)/len(full), returned)
	})
	// A byte; one piece, before one or two Writes; both.
	if got, want := found.List(), "0 1 | 1 2 | 2 3"; got != want {
		t.Errorf("pieces read, and Writes that have returned: %s, want %s", got, want)
	}
}
