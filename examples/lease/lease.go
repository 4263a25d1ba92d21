// Package lease is a store of one value, and a cache of it that answers by itself while it has a
// lease: the store does not change the value before that has ended. How the cache tells when a
// lease has ended is the lesson. The clocks of two machines differ, and are set while programs run.
package lease

import (
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"
)

// Clock is how the cache tells the end of a lease.
type Clock int

// The ways. The first one is a mistake.
const (
	Wall      Clock = iota // the store says by its wall clock when the lease ends
	Margin                 // so it does, and the cache stops by a margin sooner
	Monotonic              // the cache measures how long it has had the lease, from before it asked
)

const (
	term   = 3 * time.Minute // of a lease
	margin = time.Minute + time.Second
	port   = ":4000"
)

type request struct {
	Put   bool
	Value int
}

type reply struct {
	Value int
	Until time.Time // the end of the lease; as text it has no reading of the monotonic clock
}

// call makes a call. A put lasts until the lease has ended.
func call(addr string, r request) (a reply, err error) {
	c, err := net.Dial("tcp", addr+port)
	if err != nil {
		return a, err
	}
	defer c.Close()
	return a, errors.Join(json.NewEncoder(c).Encode(r), json.NewDecoder(c).Decode(&a))
}

// serve answers calls.
func serve(addr string, answer func(request) reply) error {
	l, err := net.Listen("tcp", addr+port)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		var r request
		if json.NewDecoder(c).Decode(&r) == nil {
			json.NewEncoder(c).Encode(answer(r))
		}
		c.Close()
	}
}

// Store runs the store. It returns only if there is no such address.
func Store(addr string) error {
	var (
		mu    sync.Mutex
		value int
		ends  time.Time // of the latest lease
	)
	return serve(addr, func(r request) reply {
		mu.Lock()
		defer mu.Unlock()
		if r.Put {
			time.Sleep(time.Until(ends))
			value = r.Value
			return reply{Value: value}
		}
		ends = time.Now().Add(term)
		return reply{Value: value, Until: ends}
	})
}

// Cache runs a cache of a store.
func Cache(addr, store string, by Clock) error {
	var (
		mu     sync.Mutex
		latest reply
		asked  time.Time // the zero time is long ago
	)
	valid := func() bool {
		switch by {
		case Wall:
			return time.Now().Before(latest.Until)
		case Margin:
			return time.Now().Before(latest.Until.Add(-margin))
		}
		return time.Since(asked) < term
	}
	return serve(addr, func(request) reply {
		mu.Lock()
		defer mu.Unlock()
		if !valid() {
			now := time.Now()
			if r, err := call(store, request{}); err == nil {
				latest, asked = r, now
			}
		}
		return latest
	})
}

// Put sets the value of a store.
func Put(store string, value int) error {
	_, err := call(store, request{Put: true, Value: value})
	return err
}

// Get asks a cache for the value.
func Get(cache string) (int, error) {
	r, err := call(cache, request{})
	return r.Value, err
}
