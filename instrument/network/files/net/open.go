//go:build gopor

package net

import (
	"context"
	"internal/poll"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/live"
)

// bind finds a place for a socket, and calls use with it until that has not returned
// [live.SocketInUse], or no other port may be tried.
//
//go:norace
func (o *goporOpening) bind(use func(p goporPlace) live.SocketStatus) error {
	ip, port := goporSplit(o.local)
	for {
		p := o.place(ip, port)
		if port == 0 {
			p = o.place(ip, live.Caller.SocketPort())
		}
		if !live.IsBound(p.name) && live.Caller.SocketNetwork() != live.SocketsClosed {
			// A socket outside may have the port.
			err := o.bindReal(o.goporSockaddr(ip, p.port))
			if err != nil && port == 0 {
				continue
			}
			if err != nil {
				return err
			}
			live.Bound(p.name)
		}
		status := use(p)
		if status == live.SocketOK {
			o.netFD.laddr = o.goporAddr(ip, p.port)
		}
		if status != live.SocketInUse || port != 0 {
			return goporError(status, "bind")
		}
	}
}

// bindReal binds a real socket for a moment.
func (o *goporOpening) bindReal(sa syscall.Sockaddr) error {
	s, err := sysSocket(o.family, o.sotype, 0)
	if err != nil {
		return err
	}
	defer poll.CloseFunc(s)
	setDefaultSockopts(s, o.family, o.sotype, o.only6)
	if o.sotype == syscall.SOCK_STREAM {
		setDefaultListenerSockopts(s)
	}
	return os.NewSyscallError("bind", syscall.Bind(s, sa))
}

// listen makes a listener, or a socket of datagrams without a peer.
//
//go:norace
func (o *goporOpening) listen() error {
	return o.bind(func(p goporPlace) (status live.SocketStatus) {
		if o.sotype == syscall.SOCK_DGRAM {
			o.gopor.box, status = live.Caller.SocketOpen(p.name, p.place)
			o.gopor.own = p
		} else {
			o.gopor.door, status = live.Caller.SocketListen(p.name, p.place)
		}
		return status
	})
}

// connect makes a socket of datagrams with a peer.
//
//go:norace
func (o *goporOpening) connect() error {
	ip, port := goporSplit(o.remote)
	peer := o.place(goporTarget(ip), port)
	if local, _ := goporSplit(o.local); !local.IsValid() || local.IsUnspecified() {
		_, port := goporSplit(o.local)
		o.local = o.goporSockaddr(peer.ip, port)
	}
	if err := o.listen(); err != nil {
		return err
	}
	o.gopor.peer = &peer
	o.netFD.raddr, o.isConnected = o.goporAddr(peer.ip, peer.port), true
	return nil
}

// dial makes a connection.
//
//go:norace
func (o *goporOpening) dial() (*netFD, error) {
	ip, port := goporSplit(o.remote)
	to := o.place(goporTarget(ip), port)
	local, port := goporSplit(o.local)
	if !local.IsValid() || local.IsUnspecified() {
		local = to.ip
	}
	if port == 0 {
		port = live.Caller.SocketPort()
	}
	from := o.place(local, port)
	conn, status := live.Caller.SocketDial(to.name, to.place, goporPair(from, to), false, o.limit)
	if status == live.SocketRefused && !live.IsBound(to.name) {
		if !o.serve(to) {
			return o.dialReal()
		}
		conn, status = live.Caller.SocketDial(to.name, to.place, goporPair(from, to), false, o.limit)
	}
	if status == live.SocketTimeout {
		return nil, mapErr(context.DeadlineExceeded)
	}
	if status != live.SocketOK {
		return nil, goporError(status, "connect")
	}
	o.gopor.conn, o.isConnected = conn, true
	o.netFD.laddr, o.netFD.raddr = o.goporAddr(from.ip, from.port), o.goporAddr(to.ip, to.port)
	return o.netFD, nil
}

// limit returns how many nanoseconds are left to dial in, and false if there is no limit.
func (o *goporOpening) limit() (wait int64, ok bool) {
	t, ok := o.ctx.Deadline()
	if !ok {
		return 0, false
	}
	return int64(time.Until(t)), true
}

// dialReal dials a name that no listener in memory has. A server of another process, or one that
// was started before the execution, may have it.
func (o *goporOpening) dialReal() (*netFD, error) {
	if live.Caller.SocketNetwork() == live.SocketsClosed {
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	fd, err := o.real()
	if err == nil {
		goporNote(goporDialled(o.raddr))
	}
	return fd, err
}

// goporDialled says what a real connection to an address on this machine is.
func goporDialled(to sockaddr) string {
	if addr, ok := to.(*TCPAddr); ok {
		if listener, _ := live.Served(addr.Port); listener != nil {
			return live.EarlierServer + to.String()
		}
	}
	return "a connection to " + to.String() + ", where no goroutine of the execution listens"
}

// goporPath returns the name of a Unix socket as the system knows it from every folder.
func goporPath(name string) string {
	if name == "" || name[0] == '@' || name[0] == '/' {
		return name
	}
	if dir, err := syscall.Getwd(); err == nil {
		return dir + "/" + name
	}
	return name
}

// goporFilePlace returns the place of a Unix socket of a name.
func goporFilePlace(name string) string {
	if goporHasFile(name) {
		return live.SocketFile
	}
	return ""
}

// goporHasFile reports whether a Unix socket of a name has a file.
func goporHasFile(name string) bool { return name != "" && name[0] != '@' }

// makeFile makes the file of a Unix socket.
func (o *goporOpening) makeFile(name string) error {
	if !goporHasFile(name) {
		return nil
	}
	live.File(name, live.FileEntry)
	defer live.Entry(name, false, true)()
	live.Save(name, live.SaveName)
	return o.bindReal(&syscall.SockaddrUnix{Name: name})
}

// goporFind looks for the file of a Unix socket, and returns why it is not found.
func goporFind(name string) error {
	if !goporHasFile(name) {
		return nil
	}
	_, err := os.Stat(name)
	if path, ok := err.(*os.PathError); ok {
		return path.Err
	}
	return err
}

// listenUnix makes a listener, or a socket of datagrams that others can send to.
func (o *goporOpening) listenUnix() (*netFD, error) {
	name := ""
	if sa, ok := o.local.(*syscall.SockaddrUnix); ok {
		name = sa.Name
	}
	if name == "" {
		name = "@" + goporHex(live.Caller.SocketPort())
	}
	if err := o.makeFile(name); err != nil {
		return nil, err
	}
	key := o.net + " " + goporPath(name)
	live.Bound(key)
	var status live.SocketStatus
	if o.sotype == syscall.SOCK_DGRAM {
		o.gopor.box, status = live.Caller.SocketOpen(key, goporFilePlace(name))
	} else {
		o.gopor.door, status = live.Caller.SocketListen(key, goporFilePlace(name))
	}
	if status != live.SocketOK {
		if goporHasFile(name) {
			os.Remove(name)
		}
		return nil, goporError(status, "bind")
	}
	o.gopor.own = goporPlace{name: name}
	o.netFD.laddr = o.addrFunc()(&syscall.SockaddrUnix{Name: name})
	return o.netFD, nil
}

// goporHex returns the name that Linux gives to a Unix socket which asks for any.
func goporHex(n int) string {
	const digits = "0123456789abcdef"
	name := []byte("00000")
	for i := len(name) - 1; i >= 0; i-- {
		name[i] = digits[n&15]
		n >>= 4
	}
	return string(name)
}

// dialUnix makes a connection to a Unix socket, or a socket of datagrams with such a peer.
func (o *goporOpening) dialUnix() (*netFD, error) {
	to := o.remote.(*syscall.SockaddrUnix).Name
	from := "@"
	if sa, ok := o.local.(*syscall.SockaddrUnix); ok && sa.Name != "" {
		from = sa.Name
	}
	if err := goporFind(to); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	key := o.net + " " + goporPath(to)
	if o.sotype == syscall.SOCK_DGRAM && !live.IsBound(key) {
		return o.dialReal()
	}
	if from != "@" {
		if err := o.makeFile(from); err != nil {
			return nil, err
		}
	}
	status := live.SocketOK
	if o.sotype == syscall.SOCK_DGRAM {
		own := ""
		if from != "@" {
			own = o.net + " " + goporPath(from)
			live.Bound(own)
		}
		o.gopor.box, status = live.Caller.SocketOpen(own, goporFilePlace(from))
		o.gopor.own, o.gopor.peer = goporPlace{name: from}, &goporPlace{name: key, place: goporFilePlace(to)}
	} else {
		o.gopor.conn, status = live.Caller.SocketDial(key, goporFilePlace(to), from, true, o.limit)
		if status == live.SocketRefused && !live.IsBound(key) {
			return o.dialReal()
		}
	}
	if status != live.SocketOK {
		return nil, goporError(status, "connect")
	}
	addr := o.addrFunc()
	o.netFD.laddr, o.netFD.raddr, o.isConnected = addr(&syscall.SockaddrUnix{Name: from}), addr(&syscall.SockaddrUnix{Name: to}), true
	return o.netFD, nil
}

// goporClose is UnixListener.close.
//
//go:norace
func (ln *UnixListener) goporClose() error {
	ln.unlinkOnce.Do(func() {
		if ln.path[0] != '@' && ln.unlink {
			os.Remove(ln.path)
		}
	})
	return ln.fd.Close()
}

// goporUnlinks says that the close of a real listener removes its file.
func (ln *UnixListener) goporUnlinks() {
	if goporHasFile(ln.path) && ln.unlink {
		live.Save(ln.path, live.SaveName)
	}
}

// goporLocal returns the address that a datagram of fd has when it goes to ip.
//
//go:norace
func (fd *netFD) goporLocal(to netip.Addr) string {
	own := fd.gopor.own
	if fd.family == syscall.AF_UNIX {
		return own.name
	}
	if own.ip.IsUnspecified() {
		own.ip = goporTarget(to)
	}
	return netip.AddrPortFrom(own.ip, uint16(own.port)).String()
}

// goporPlain reports whether dialCtx leaves a context as it is. It does not ask for the time then,
// which would be a use of the clock by the program.
func (d *Dialer) goporPlain(ctx context.Context) bool {
	return ctx != nil && d.Timeout == 0 && d.Deadline.IsZero() && d.Cancel == nil
}
