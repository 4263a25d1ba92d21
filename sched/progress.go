package sched

import (
	"strings"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for those who watch executions from another goroutine: whether they get
// on, and how to end one that takes too long.

// Progress returns a number that has grown since the call before if an operation
// has been performed since, or memory accessed by code that says so. A watchdog may call
// it from another goroutine. To count every operation would take an atomic addition
// each; this takes a load.
func (c *Closure) Progress() int64 {
	c.m.Glance.Store(true)
	return c.progress.Or(1)>>1 + c.plain.Load() + c.present.Progress()
}

// Interrupt(true), called from another goroutine, ends the execution that is
// going on before its next operation, with [trace.ErrInterrupted], or where it next
// accesses memory in plain code of the program's. Interrupt(false) lets executions go on
// again.
func (c *Closure) Interrupt(on bool) {
	c.halted.Store(on)
	c.progress.Or(1)
	c.m.Glance.Store(true)
}

// Halted reports whether Interrupt(true) was called, and Interrupt(false) not since.
func (c *Closure) Halted() bool { return c.halted.Load() }

// Interrupted reports whether the execution was ended by [Closure.Interrupt].
func (c *Closure) Interrupted() bool { return c.err == trace.ErrInterrupted }

// glanced is told of an access of memory by g after Progress or Interrupt.
func (c *Closure) glanced(g *machine.Goroutine) {
	c.m.Glance.Store(false)
	c.plain.Add(1)
	if c.halted.Load() && c.err == nil && c.holdsNothing(g) {
		c.err = trace.ErrInterrupted
		c.on[g.Id].pause()
	}
}

// holdsNothing reports whether g, which is the calling goroutine, has no locks inside the
// standard library, which would outlive the execution. Of most of that nobody knows.
func (c *Closure) holdsNothing(g *machine.Goroutine) bool {
	if g.Held > 0 || standardFolder == "" {
		return false
	}
	for _, pc := range c.stack(g) {
		file, _, function := machine.Place(pc)
		if in := stack.Package(function); strings.HasPrefix(file, standardFolder) && !holders[in] && !telling[in] {
			return false
		}
	}
	return true
}

// telling are packages of the standard library beside holders that are compiled with package
// internal/quiet/sync in place of package sync, so that their locks are known.
var telling = map[string]bool{"encoding/base64": true, "encoding/binary": true, "encoding/csv": true, "encoding/gob": true,
	"encoding/hex": true, "encoding/json": true, "encoding/xml": true, "fmt": true, "hash/adler32": true, "hash/crc32": true,
	"hash/crc64": true, "hash/fnv": true, "log": true, "log/slog": true, "math/big": true, "math/rand": true, "math/rand/v2": true,
	"reflect": true, "regexp": true, "regexp/syntax": true, "strconv": true, "text/tabwriter": true, "text/template": true,
	"text/template/parse": true, "unicode": true, "unicode/utf8": true}
