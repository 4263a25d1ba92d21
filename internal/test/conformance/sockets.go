package conformance

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopor/gopor/sched/network"
)

// This file has the objects and steps of sockets. An object is a connection with both of its ends,
// a listener, or a socket of datagrams. What a goroutine gets by a dial or an Accept is its own:
// the steps "own..." use the latest one that it has got.

const place = "4127.0.0.1"

// pair is a connection.
type pair struct{ ends [2]*network.Conn }

// newPair makes a connection, of a Unix socket if n is 1. Its listener is closed.
func newPair(n int64) any {
	l, err := network.Listen("tcp 1", place, "1")
	if err != nil {
		return nil // another goroutine is making one
	}
	p := new(pair)
	if p.ends[0], err = network.Dial("tcp 1", place, "from", n == 1); err != nil {
		panic(err)
	}
	if p.ends[1], _, err = l.Accept(); err != nil {
		panic(err)
	}
	if err := l.Close(); err != nil {
		panic(err)
	}
	return p
}

// door is a listener, nil if another one has the name, and the name.
type door struct {
	l    *network.Listener
	name string
	unix bool
}

// newDoor makes a listener. There are two names. Two listeners of one name are in each other's way.
func newDoor(n int64) any {
	d := &door{name: fmt.Sprint("tcp 8", n/2), unix: n%2 == 1}
	d.l, _ = network.Listen(d.name, place, d.name)
	return d
}

// box is a socket of datagrams, nil if another one has the name.
type box struct{ p *network.Packets }

func newBox(n int64) any {
	p, _ := network.ListenPackets(boxName(n), place, boxName(n))
	return &box{p}
}

func boxName(n int64) string { return fmt.Sprint("udp ", n) }

// sizes are what Reads ask for, and lengths what Writes have.
var (
	sizes   = []int{1, 2, 1 << 20}
	lengths = []int{1, 2, 3, network.Room, network.Room*9/4 - 1}
)

// moment returns a deadline: one that has passed, one of 1 to 3 milliseconds, or none.
func moment(n int64) time.Duration {
	switch n {
	case 0:
		return 0
	case 4:
		return network.NoDeadline
	}
	return span(n)
}

// payload returns what a Write of a goroutine writes. No other one writes that.
func (a *actor) payload(n int) []byte {
	name := mix(a.env.x.GoroutineName(a.id) ^ uint64(len(a.log)))
	data := make([]byte, n)
	for i := range data[:min(n, 64)] {
		data[i] = byte(name >> (8 * (i % 8)))
	}
	return data
}

// content is data as a number.
func content(data []byte) int64 {
	h := mix(uint64(len(data)))
	for i, b := range data {
		if i < 64 || b != 0 {
			h = mix(h ^ uint64(i)<<8 ^ uint64(b))
		}
	}
	return int64(h >> 8)
}

// gotten is what a Read returns as a number.
func gotten(data []byte, err error) int64 { return content(data) ^ status(err)<<1 }

// status is text for the errors of sockets, of which there are few.
func status(err error) int64 {
	var s network.Status
	switch {
	case err == nil:
		return 0
	case err == io.EOF:
		return 1
	case errors.As(err, &s):
		return int64(s) + 2
	}
	return text(err)
}

// endOf returns a step of an end of a connection. The first argument says which.
func endOf(name string, weight int, args []arg, do func(a *actor, c *network.Conn, s *Step) int64) *op {
	return &op{name: name, on: "conn", weight: weight, args: append([]arg{bit}, args...), do: func(a *actor, o any, s *Step, _ []any) int64 {
		return do(a, o.(*pair).ends[s.Args[0]], s)
	}}
}

// doorOf returns a step of a listener. It does nothing if there is none.
func doorOf(name string, weight int, args []arg, do func(a *actor, l *network.Listener, s *Step) int64) *op {
	return &op{name: name, on: "listener", weight: weight, args: args, do: func(a *actor, o any, s *Step, _ []any) int64 {
		if l := o.(*door).l; l != nil {
			return do(a, l, s)
		}
		return -1
	}}
}

// boxOf returns a step of a socket of datagrams. It does nothing if there is none.
func boxOf(name string, weight int, args []arg, do func(a *actor, p *network.Packets, s *Step) int64) *op {
	return &op{name: name, on: "packets", weight: weight, args: args, do: func(a *actor, o any, s *Step, _ []any) int64 {
		if p := o.(*box).p; p != nil {
			return do(a, p, s)
		}
		return -1
	}}
}

// ownOf returns a step of the connection that the goroutine has got last. It does nothing if there
// is none.
func ownOf(name string, args []arg, do func(a *actor, c *network.Conn, s *Step) int64) *op {
	return &op{name: name, args: args, do: func(a *actor, _ any, s *Step, _ []any) int64 {
		if a.conn != nil {
			return do(a, a.conn, s)
		}
		return -1
	}}
}

var (
	size2 = arg{low: 0, high: 2}
	long  = arg{low: 0, high: 4}
	when  = arg{low: 0, high: 4}
)

func wrote(n int, err error) int64 { return int64(n)<<8 | status(err)&0xff }

var socketOps = []*op{
	endOf("nread", 6, []arg{size2}, func(_ *actor, c *network.Conn, s *Step) int64 { return gotten(c.Read(sizes[s.Args[1]])) }),
	endOf("npiece", 1, []arg{size2}, func(_ *actor, c *network.Conn, s *Step) int64 {
		return gotten(c.ReadFor(sizes[s.Args[1]], func() bool { return true }))
	}),
	endOf("npeek", 2, []arg{bit}, func(_ *actor, c *network.Conn, s *Step) int64 { return gotten(c.Peek(s.Args[1] == 1)) }),
	endOf("nwrite", 6, []arg{long}, func(a *actor, c *network.Conn, s *Step) int64 {
		return wrote(c.Write(a.payload(lengths[s.Args[1]])))
	}),
	endOf("nclosewrite", 2, nil, func(_ *actor, c *network.Conn, _ *Step) int64 { return status(c.CloseWrite()) }),
	endOf("ncloseread", 2, nil, func(_ *actor, c *network.Conn, _ *Step) int64 { return status(c.CloseRead()) }),
	endOf("nclose", 3, nil, func(_ *actor, c *network.Conn, _ *Step) int64 { return status(c.Close()) }),
	endOf("nlinger", 1, []arg{bit}, func(_ *actor, c *network.Conn, s *Step) int64 { return status(c.SetLinger(s.Args[1] == 1)) }),
	endOf("nask", 1, nil, func(_ *actor, c *network.Conn, _ *Step) int64 { return status(c.Ask()) }),
	endOf("nreadby", 2, []arg{when}, func(_ *actor, c *network.Conn, s *Step) int64 { return status(c.SetReadDeadline(moment(s.Args[1]))) }),
	endOf("nwriteby", 2, []arg{when}, func(_ *actor, c *network.Conn, s *Step) int64 { return status(c.SetWriteDeadline(moment(s.Args[1]))) }),

	{name: "dial", on: "listener", weight: 5, do: func(a *actor, o any, _ *Step, _ []any) int64 {
		d := o.(*door)
		c, err := network.Dial(d.name, place, fmt.Sprint(a.env.x.GoroutineName(a.id), len(a.log)), d.unix)
		if err == nil {
			a.conn = c
		}
		return status(err)
	}},
	doorOf("accept", 5, nil, func(a *actor, l *network.Listener, _ *Step) int64 {
		c, from, err := l.Accept()
		if err == nil {
			a.conn = c
		}
		return int64(hashText(from)>>8) ^ status(err)
	}),
	doorOf("lclose", 3, nil, func(_ *actor, l *network.Listener, _ *Step) int64 { return status(l.Close()) }),
	doorOf("lask", 1, nil, func(_ *actor, l *network.Listener, _ *Step) int64 { return status(l.Ask()) }),
	doorOf("lby", 2, []arg{when}, func(_ *actor, l *network.Listener, s *Step) int64 { return status(l.SetDeadline(moment(s.Args[0]))) }),
	{name: "relisten", on: "listener", weight: 1, do: func(_ *actor, o any, _ *Step, _ []any) int64 {
		l, err := network.Listen(o.(*door).name, place, "again")
		if err != nil {
			return status(err)
		}
		return status(l.Close())
	}},
	ownOf("ownread", []arg{size2}, func(_ *actor, c *network.Conn, s *Step) int64 { return gotten(c.Read(sizes[s.Args[0]])) }),
	ownOf("ownwrite", []arg{size2}, func(a *actor, c *network.Conn, s *Step) int64 { return wrote(c.Write(a.payload(lengths[s.Args[0]]))) }),
	ownOf("ownclose", nil, func(_ *actor, c *network.Conn, _ *Step) int64 { return status(c.Close()) }),

	boxOf("sendto", 6, []arg{bit, bit}, func(a *actor, p *network.Packets, s *Step) int64 {
		from := fmt.Sprint(a.env.x.GoroutineName(a.id), len(a.log))
		return status(p.SendTo(boxName(s.Args[0]), place, from, a.payload(1), s.Args[1] == 1))
	}),
	boxOf("receive", 6, nil, func(_ *actor, p *network.Packets, _ *Step) int64 {
		data, from, err := p.ReceiveFrom()
		return gotten(data, err) ^ int64(hashText(from)>>8)
	}),
	boxOf("pclose", 3, nil, func(_ *actor, p *network.Packets, _ *Step) int64 { return status(p.Close()) }),
	boxOf("pask", 1, nil, func(_ *actor, p *network.Packets, _ *Step) int64 { return status(p.Ask()) }),
	boxOf("preadby", 2, []arg{when}, func(_ *actor, p *network.Packets, s *Step) int64 { return status(p.SetReadDeadline(moment(s.Args[0]))) }),
	boxOf("pwriteby", 2, []arg{when}, func(_ *actor, p *network.Packets, s *Step) int64 {
		return status(p.SetWriteDeadline(moment(s.Args[0])))
	}),
}

var socketKinds = []*kind{
	{name: "conn", n: []int64{0, 1}, make: func(_ *env, o *Object, _ any, _ []any) any { return newPair(o.N) }},
	{name: "listener", n: []int64{0, 1, 2, 3}, make: func(_ *env, o *Object, _ any, _ []any) any { return newDoor(o.N) }},
	{name: "packets", n: []int64{0, 1}, make: func(_ *env, o *Object, _ any, _ []any) any { return newBox(o.N) }},
}
