package network

import (
	"fmt"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the faults that come before a use of a socket, by the plan of the execution:
// see package internal/faults. Each is an operation of its own, of the goroutine that uses the
// socket.

// siteOf returns the fault that comes before g uses a socket, for kinds that make a difference
// there. A fault of the node of g has come already. After a crash siteOf does not return.
func siteOf(g *machine.Goroutine, kinds faults.Kind) faults.Fault {
	n := g.Node()
	if n != nil {
		kinds |= n.Faults()
	}
	f := g.Site(kinds)
	if n != nil && f.Kind&faults.OfNodes != 0 {
		n.FaultAt(g, f)
	}
	return f
}

// faultsOf returns which faults make a difference to a use of a direction.
func faultsOf(w *machine.WayState, kinds faults.Kind) faults.Kind {
	if w.Working() {
		return kinds
	}
	return 0
}

// note says in the record what a fault does.
func noteFault(g *machine.Goroutine, format string, args ...any) {
	if g.M.Record {
		g.NoteResult(faults.Text(fmt.Sprintf(format, args...)))
	}
}

// beforeRead has the fault that comes before a Read.
func (c *Conn) beforeRead(g *machine.Goroutine) {
	if f := siteOf(g, faultsOf(c.in, faults.Reset)); f.Kind == faults.Reset && !c.in.Unix() {
		c.in.Fault(g, f)
		noteFault(g, "is reset")
	}
}

// beforeWrite has the fault that comes before a Write. It returns how many bytes the Write is to
// write before the connection is reset, or a negative number for all.
func (c *Conn) beforeWrite(g *machine.Goroutine, size int) (part int) {
	kinds, w := faults.Reset|faults.Delay, c.in.Back()
	if size > 1 {
		kinds |= faults.Short
	}
	f := siteOf(g, faultsOf(w, kinds))
	if w.Unix() {
		return -1
	}
	switch f.Kind {
	case faults.Reset:
		w.Fault(g, f)
		noteFault(g, "is reset")
	case faults.Delay:
		w.Fault(g, f)
		noteFault(g, "is late by %v", f.For)
	case faults.Short:
		return size / 2
	}
	return -1
}

// writePart writes the first bytes of data, and resets the connection. As natively, the Write is
// told of the reset, and returns how many bytes it has written.
func (c *Conn) writePart(g *machine.Goroutine, data []byte, n int) (int, error) {
	w := c.in.Back()
	n, err := c.write(g, data[:n])
	if err != nil || c.enter("Write") == nil {
		return n, err
	}
	w.Fault(g, faults.Fault{Kind: faults.Short})
	noteFault(g, "is reset after %d of %d bytes", n, len(data))
	more, err := c.write(g, data[n:])
	return n + more, err
}

// beforeDial has the fault that comes before a Dial, and returns the error if that fails. See
// [DialWithin].
func beforeDial(g *machine.Goroutine, name string, unix bool, limit func() (int64, bool)) error {
	kinds := faults.Refuse | faults.Slow
	if unix {
		kinds = 0
	}
	f := siteOf(g, kinds)
	switch f.Kind & kinds {
	case faults.Refuse:
		g.AskNumbers(trace.OpFault, g.M.FindName(name), uint64(f.Kind), 0)
		noteFault(g, "dial is refused")
		return Refused
	case faults.Slow:
		g.AskNumbers(trace.OpFault, g.M.FindName(name), uint64(f.Kind), 0)
		noteFault(g, "dial takes %v", f.For)
		if wait, ok := limit(); ok && wait < int64(f.For) {
			g.Sleep(time.Duration(max(wait, 0)))
			return Timeout
		}
		g.Sleep(f.For)
	}
	return nil
}

// beforeSend has the fault that comes before a datagram is sent: the kind is Lose if it is lost,
// Double if it is sent twice, Late if it is sent late.
func beforeSend(g *machine.Goroutine, name string) faults.Kind {
	kinds := faults.Lose | faults.Double | faults.Late
	if strings.HasPrefix(name, "unix") {
		kinds = 0
	}
	f := siteOf(g, kinds)
	if f.Kind &= kinds; f.Kind == 0 {
		return 0
	}
	g.AskNumbers(trace.OpFault, g.M.FindName(name), uint64(f.Kind), 0)
	what := map[faults.Kind]string{faults.Lose: "is lost", faults.Double: "arrives twice", faults.Late: "is overtaken by the next"}
	noteFault(g, "datagram %s", what[f.Kind])
	return f.Kind
}
