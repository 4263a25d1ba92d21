package exec

import (
	"runtime"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for watching executions from another goroutine: whether they get
// on, and how to end one that takes too long.

// Progress returns a number that has grown since the call before if an operation
// has been performed since, or memory accessed by code that says so. A watchdog may call
// it from another goroutine. To count every operation would take an atomic addition
// each; this takes a load.
func (c *Closure) Progress() int64 {
	c.m.Glance()
	return c.watchdog.progress.Or(1)>>1 + c.watchdog.plain.Load() + c.present.Progress()
}

// Interrupt with true, called from another goroutine, ends the execution that is
// going on before its next operation, with [trace.ErrInterrupted], or where it next
// accesses memory in plain code of the program's. With false it lets executions go on
// again.
func (c *Closure) Interrupt(on bool) {
	c.watchdog.halted.Store(on)
	c.watchdog.progress.Or(1)
	c.m.Glance()
}

// Halted reports whether Interrupt(true) was called, and Interrupt(false) not since.
func (c *Closure) Halted() bool { return c.watchdog.halted.Load() }

// SetPatience has executions to come ended as by [Closure.Interrupt] if they take more than n steps
// and wait for the clock, as soon as another goroutine has called [Closure.Progress] after that. 0
// lets them take any number of steps. In [sched.TimeDiscrete] time does not pass as long as a
// goroutine can go on, so an execution in which a goroutine polls until a timer fires has no end.
func (c *Closure) SetPatience(n int) {
	c.watchdog.patience, c.watchdog.lost = n, c.watchdog.lost && n > 0
}

// LostPatience reports whether an execution was ended for the sake of [Closure.SetPatience].
func (c *Closure) LostPatience() bool { return c.watchdog.lost }

// Interrupted reports whether the execution was ended by [Closure.Interrupt].
func (c *Closure) Interrupted() bool { return c.err == trace.ErrInterrupted }

// breakOff ends the execution for the sake of Interrupt.
func (c *Closure) breakOff() { c.err, c.watchdog.cut = trace.ErrInterrupted, int(c.m.Events.Count) }

// BrokenOff returns how many steps the latest execution had that was ended by [Closure.Interrupt],
// 0 if none was.
func (c *Closure) BrokenOff() int { return c.watchdog.cut }

// glanced is told of an access of memory by g after Progress or Interrupt.
func (c *Closure) glanced(g *machine.Goroutine) {
	c.m.Memory.Glance.Store(false)
	c.watchdog.plain.Add(1)
	if c.watchdog.halted.Load() && (c.err == nil || c.Interrupted()) && c.holdsNothing(g) {
		c.breakOff()
		c.coroutines.on[g.ID].pause()
	}
}

// holdsNothing reports whether g, which is the calling goroutine, has no locks inside the
// standard library: they would outlive the execution. Most of that is not known.
func (c *Closure) holdsNothing(g *machine.Goroutine) bool {
	if g.Library.Held+g.Library.Locked > 0 || stack.StandardFolder == "" {
		return false
	}
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			switch c.record.placing(pc) {
			case callFirst:
				return true
			case callUser:
				if file, _, function := format.Place(pc); stack.Standard(file) && mayHold(function) {
					return false
				}
			}
		}
		if n < len(pcs) {
			return true
		}
	}
}

// instrumented is replaced by tests.
var instrumented = hook.Instrumented

// mayHold reports whether a function of the standard library may hold locks that are not known.
func mayHold(function string) bool {
	in := stack.Package(function)
	return (!lockless[in] || lockers[function]) && (!telling[in] || !instrumented())
}

// lockless are packages of the standard library that may be left at any moment: what they have
// besides the program's own variables are pools and caches. Those of their functions which are
// lockers hold more.
var (
	lockless = map[string]bool{"bufio": true, "bytes": true, "cmp": true, "compress/bzip2": true, "compress/lzw": true,
		"container/heap": true, "container/list": true, "container/ring": true, "encoding/ascii85": true, "encoding/base32": true,
		"encoding/base64": true, "encoding/csv": true, "encoding/hex": true, "encoding/json/internal/jsonflags": true,
		"encoding/json/internal/jsonopts": true, "encoding/json/internal/jsonwire": true, "encoding/pem": true, "errors": true, "fmt": true, "go/ast": true,
		"go/parser": true, "go/scanner": true, "index/suffixarray": true, "internal/fmtsort": true, "io": true, "maps": true, "net/url": true,
		"path": true, "reflect": true, "slices": true, "sort": true, "strconv": true, "strings": true, "testing/quick": true, "text/scanner": true,
		"text/tabwriter": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true}
	lockers = map[string]bool{"reflect.FuncOf": true, "reflect.StructOf": true, "strings.(*Replacer).buildOnce": true}
)

// telling are those that are compiled with package internal/quiet/sync in place of package sync in
// programs that are instrumented, so that their locks are known there.
var telling = map[string]bool{"crypto/tls": true, "crypto/x509": true, "encoding/binary": true, "encoding/gob": true, "encoding/json": true,
	"encoding/json/jsontext": true, "encoding/json/v2": true, "encoding/xml": true,
	"hash/adler32": true, "hash/crc32": true, "hash/crc64": true, "hash/fnv": true, "log": true, "log/slog": true, "math/big": true,
	"math/rand": true, "math/rand/v2": true, "reflect": true, "regexp": true, "regexp/syntax": true, "text/template": true,
	"text/template/parse": true}
