//go:build !race

package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/trace"
)

// The compiler calls the functions of this file, as it does those of package sched/native, before
// accesses of which the first byte stands for all. Most accesses are such. Nearly all of them are
// known of, or made by a goroutine that is alone. So the functions do what these need in a frame of
// their own, and leave the rest to [UseMemory]. What [memory.plain] says was found there.

//go:linkname raceread runtime.raceread
func raceread(p unsafe.Pointer) {
	if !live.On() {
		return
	}
	gp := stack.Descriptor()
	if co := Callers.near(gp).Load(); co != nil {
		if co.gp.Load() == gp && !co.Serving && p != nil {
			if m, g := co.M, co.G; m.Memory.plain.Load() {
				switch {
				case g.Alone(): // where a read of its stack has no effect, either
					if !sieved(p) {
						co.Entered++
						return
					}
				case m.Memory.Shadow.knows(p, cells.New(g.view.epoch, PlainRead, 1<<(uintptr(p)&7))):
					co.Entered++
					return
				}
			}
		}
	}
	UseMemory(p, 1, trace.OpRead)
}

//go:linkname racewrite runtime.racewrite
func racewrite(p unsafe.Pointer) {
	if !live.On() {
		return
	}
	gp := stack.Descriptor()
	if co := Callers.near(gp).Load(); co != nil {
		if co.gp.Load() == gp && !co.Serving && p != nil {
			if m, g := co.M, co.G; m.Memory.plain.Load() {
				switch {
				case g.Alone():
					if !sieved(p) {
						if !stack.Has(gp, p) {
							co.Entered++
							g.Acts()
						}
						return
					}
				case m.Memory.Shadow.knows(p, cells.New(g.view.epoch, PlainWrite, 1<<(uintptr(p)&7))):
					co.Entered++
					return
				}
			}
		}
	}
	UseMemory(p, 1, trace.OpWrite)
}
