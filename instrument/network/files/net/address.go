//go:build gopor

package net

import (
	"internal/strconv"
	"net/netip"
	"syscall"

	"github.com/gopor/gopor/internal/live"
)

// goporSplit returns the address and the port of an IP socket.
//
//go:norace
func goporSplit(sa syscall.Sockaddr) (ip netip.Addr, port int) {
	switch sa := sa.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrFrom4(sa.Addr), sa.Port
	case *syscall.SockaddrInet6:
		return netip.AddrFrom16(sa.Addr).Unmap(), sa.Port
	}
	return netip.Addr{}, 0
}

// goporAddr returns an address of a socket of the family and the network of fd.
//
//go:norace
func (fd *netFD) goporAddr(ip netip.Addr, port int) Addr {
	return fd.addrFunc()(fd.goporSockaddr(ip, port))
}

//go:norace
func (fd *netFD) goporSockaddr(ip netip.Addr, port int) syscall.Sockaddr {
	if fd.family == syscall.AF_INET && ip.Is4() {
		return &syscall.SockaddrInet4{Addr: ip.As4(), Port: port}
	}
	return &syscall.SockaddrInet6{Addr: ip.As16(), Port: port}
}

// place returns an address as package live knows it.
//
//go:norace
func (o *goporOpening) place(ip netip.Addr, port int) goporPlace {
	return goporPlace{o.net[:3] + " " + strconv.Itoa(port), goporFamily(ip, o.only6), ip, port}
}

// goporFamily returns a place of package live. Only6 says that the unspecified address of IPv6
// does not stand for all addresses.
//
//go:norace
func goporFamily(ip netip.Addr, only6 bool) string {
	switch all := ip.IsUnspecified(); {
	case ip.Is4() && all:
		return "4"
	case ip.Is4():
		return "4" + ip.String()
	case all && only6:
		return "6"
	case all:
		return "*"
	}
	return "6" + ip.WithZone("").String()
}

// goporTarget returns the address that a socket reaches when it sends to ip.
//
//go:norace
func goporTarget(ip netip.Addr) netip.Addr {
	switch {
	case !ip.IsUnspecified():
		return ip
	case ip.Is4():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Unspecified().Next() // ::1
}

// goporPair and goporAddrs are for the address that Accept returns: where a connection was
// dialled from, and to.
//
//go:norace
func goporPair(from, to goporPlace) string {
	return netip.AddrPortFrom(from.ip, uint16(from.port)).String() + "->" + netip.AddrPortFrom(to.ip, uint16(to.port)).String()
}

//go:norace
func goporAddrs(pair string) (from, to netip.AddrPort) {
	for i := range len(pair) - 1 {
		if pair[i:i+2] == "->" {
			from, _ = netip.ParseAddrPort(pair[:i])
			to, _ = netip.ParseAddrPort(pair[i+2:])
			break
		}
	}
	return from, to
}

// outside returns what a socket has that is not in memory, or "".
//
//go:norace
func (o *goporOpening) outside() string {
	if live.Caller.SocketNetwork() == live.SocketsReal {
		return "a real socket"
	}
	switch o.net {
	case "unix", "unixgram", "unixpacket":
		return ""
	case "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6":
	default:
		return "a socket of network " + o.net
	}
	for _, a := range []sockaddr{o.raddr, o.laddr} {
		ip := goporIP(a)
		if len(ip) == 0 || ip.IsUnspecified() || ip.IsLoopback() {
			continue
		}
		if ip.IsMulticast() {
			return "a multicast address, " + ip.String()
		}
		if !goporIsOwn(ip) {
			return "a connection to the address " + a.String() + ", which is not one of this machine"
		}
	}
	return ""
}

// goporIP returns the IP address of a socket, or nil.
//
//go:norace
func goporIP(a sockaddr) IP {
	switch a := a.(type) {
	case *TCPAddr:
		if a != nil {
			return a.IP
		}
	case *UDPAddr:
		if a != nil {
			return a.IP
		}
	}
	return nil
}

// goporIsOwn reports whether an address is one of this machine.
func goporIsOwn(ip IP) bool {
	addrs, err := InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*IPNet); ok && err == nil && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}

// goporClosedTo returns why an execution without other sockets than those in memory cannot have
// something, or nil if it can.
func goporClosedTo(what string) error {
	if live.Caller.SocketNetwork() != live.SocketsClosed {
		return nil
	}
	return &goporClosedError{what}
}

// A goporClosedError is for what is outside of the network of an execution.
type goporClosedError struct{ what string }

func (e *goporClosedError) Error() string {
	return "no network outside of the execution (-check.network=none): " + e.what
}

// goporNote notes that the program uses something outside of its execution.
func goporNote(what string) {
	live.Feel(what)
	live.Caller.SocketNote(what)
}
