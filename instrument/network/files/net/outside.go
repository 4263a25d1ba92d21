//go:build gopor

package net

import (
	"context"
	"internal/nettrace"
	"internal/poll"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/live"
)

// A goporOutside is the context in which a controlled goroutine opens a real socket. Its deadline
// is in real time.
type goporOutside struct{ context.Context }

func (c goporOutside) Deadline() (time.Time, bool) {
	t, ok := c.Context.Deadline()
	return goporRealDate(t), ok
}

// goporRealDate returns the date in real time of a date of the caller's execution. A date that is
// nearer to the real time than to that of the execution is a real one already.
func goporRealDate(t time.Time) time.Time {
	if t.IsZero() || !live.Sockets() {
		return t
	}
	now, real := time.Now(), time.Time{}
	live.Detached(func() { real = time.Now() })
	if left := t.Sub(now); left.Abs() < t.Round(0).Sub(real.Round(0)).Abs() {
		return real.Add(left)
	}
	return t
}

// A goporRaw is the real socket that stands for a connection in memory where the program asks for
// its descriptor. It is not connected. Options can be set and read.
type goporRaw struct {
	socket uintptr
	close_ func()
}

func (r *goporRaw) close() {
	if r != nil {
		r.close_()
	}
}

// goporRaw returns the real socket that stands for the one in memory.
//
//go:norace
func (fd *netFD) goporRaw() (*goporRaw, error) {
	if fd.gopor.raw != nil {
		return fd.gopor.raw, nil
	}
	s, err := sysSocket(fd.family, fd.sotype, 0)
	if err != nil {
		return nil, err
	}
	raw := &goporRaw{uintptr(s), func() { poll.CloseFunc(s) }}
	real := &netFD{family: fd.family, sotype: fd.sotype, net: fd.net}
	real.pfd.Sysfd = s
	if fd.family != syscall.AF_UNIX && fd.sotype == syscall.SOCK_STREAM {
		setNoDelay(real, true)
		setKeepAlive(real, true)
	}
	fd.gopor.raw = raw
	return raw, nil
}

// goporControl is Control of a raw connection in memory.
func (c *rawConn) goporControl(f func(uintptr)) error {
	goporNote("a descriptor of a connection")
	raw, err := c.fd.goporRaw()
	if err != nil {
		return err
	}
	f(raw.socket)
	return nil
}

// goporDup is netFD.dup.
func (fd *netFD) goporDup() (*os.File, error) {
	if err := fd.goporOption(); err != nil {
		return nil, err
	}
	goporNote("a file of a connection")
	return nil, os.NewSyscallError("dup", syscall.ENOTSUP)
}

// goporAside calls a function that asks the outside, on a goroutine that is not under control. It
// returns an error if the execution has no outside.
func goporAside(what string, f func()) error {
	if err := goporClosedTo(what); err != nil {
		return &DNSError{Err: err.Error(), Name: what, IsNotFound: true}
	}
	goporNote(what)
	live.Detached(f)
	return nil
}

// goporAsks reports whether a lookup by r goes to the outside without code of the program's.
func (r *Resolver) goporAsks() bool { return live.Sockets() && (r == nil || r.Dial == nil) }

// goporLocalhost returns the addresses of localhost, or nil for other hosts.
func goporLocalhost(network, host string) (addrs []IPAddr) {
	if host != "localhost" && host != "localhost." {
		return nil
	}
	last := network[len(network)-1]
	if last != '6' {
		addrs = append(addrs, IPAddr{IP: IPv4(127, 0, 0, 1)})
	}
	if last != '4' && supportsIPv6() {
		addrs = append(addrs, IPAddr{IP: IPv6loopback})
	}
	return addrs
}

// goporLookup is Resolver.lookupIPAddr. It reports false if that has to find the addresses.
func (r *Resolver) goporLookup(ctx context.Context, network, host string) (addrs []IPAddr, ok bool, err error) {
	if _, err := netip.ParseAddr(host); err == nil || host == "" || !r.goporAsks() {
		return nil, false, nil
	}
	if alt, _ := ctx.Value(nettrace.LookupIPAltResolverKey{}).(func(context.Context, string, string) ([]IPAddr, error)); alt != nil {
		return nil, false, nil
	}
	trace, _ := ctx.Value(nettrace.TraceKey{}).(*nettrace.Trace)
	if trace != nil && trace.DNSStart != nil {
		trace.DNSStart(host)
	}
	if addrs = goporLocalhost(network, host); addrs == nil {
		closed := goporAside("a lookup of the host "+host, func() {
			addrs, err = r.lookupIPAddr(goporBackground(ctx), network, host)
		})
		if closed != nil {
			err = closed
		}
	}
	if trace != nil && trace.DNSDone != nil {
		trace.DNSDone(ipAddrsEface(addrs), false, err)
	}
	return addrs, true, err
}

// goporBackground returns a context for a goroutine that is not under control, with the deadline
// of ctx, or one that is done as ctx is.
func goporBackground(ctx context.Context) context.Context {
	if err := ctx.Err(); err != nil {
		return goporDone{context.Background(), err}
	}
	t, ok := ctx.Deadline()
	if !ok {
		return context.Background()
	}
	return goporDated{context.Background(), goporRealDate(t)}
}

// A goporDone is a context that is done.
type goporDone struct {
	context.Context
	err error
}

// goporClosed is closed before the first execution.
var goporClosed = make(chan struct{})

func init() { close(goporClosed) }

func (c goporDone) Done() <-chan struct{} { return goporClosed }
func (c goporDone) Err() error            { return c.err }

// A goporDated is a context with a deadline that nothing waits for.
type goporDated struct {
	context.Context
	deadline time.Time
}

func (c goporDated) Deadline() (time.Time, bool) { return c.deadline, true }

// goporLookupHost is Resolver.LookupHost.
func (r *Resolver) goporLookupHost(ctx context.Context, host string) (names []string, ok bool, err error) {
	if _, err := netip.ParseAddr(host); err == nil || host == "" || !r.goporAsks() {
		return nil, false, nil
	}
	for _, a := range goporLocalhost("ip", host) {
		names = append(names, a.String())
	}
	if names == nil {
		closed := goporAside("a lookup of the host "+host, func() { names, err = r.LookupHost(goporBackground(ctx), host) })
		if closed != nil {
			err = closed
		}
	}
	return names, true, err
}
