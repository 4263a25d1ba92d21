package hook

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// fewKeys is the largest number of keys of which [machine.MapExplore] explores all orders.
const fewKeys = 4

// MapOrder returns the order in which a loop visits the n entries of a map, as indexes of them
// in the order of [machine.MapSorted]; nil stands for that order. If another order could change
// the result, it notes the assumption that what names. Alike says that the loop does the same
// in every order, as far as other goroutines do not see its progress.
func MapOrder(n int, alike bool, what func() string) []int {
	g := machine.Enter("MapOrder")
	o := &g.M.Config
	if n < 2 || alike && o.Races != machine.RaceExplore {
		return nil
	}
	if o.Maps != machine.MapExplore {
		assumeOrder(g, what, "")
		return nil
	}
	order := make([]int, n)
	if n > fewKeys {
		assumeOrder(g, what, ", of which three orders were explored")
		someOrder(order, g.Choose(3))
		return order
	}
	factorial := 1
	for i := 2; i <= n; i++ {
		factorial *= i
	}
	permutation(order, g.Choose(factorial))
	return order
}

func assumeOrder(g *machine.Goroutine, what func() string, how string) {
	if g.M.Exec.Wants(machine.AssumeMapOrder) {
		Serve(func() { g.M.Exec.Assume(g, machine.AssumeMapOrder, what()+how) })
	}
}

// someOrder sets order to the k-th of three orders.
func someOrder(order []int, k int) {
	n := len(order)
	for i := range order {
		switch k {
		case 0:
			order[i] = i
		case 1:
			order[i] = n - 1 - i
		default:
			order[i] = (i + n/2) % n
		}
	}
}

// permutation sets order to the k-th permutation in lexicographic order.
func permutation(order []int, k int) { // digits to the base of 1, 2, 3, ... from the right
	n := len(order)
	for i := n - 1; i >= 0; i-- { // digits to the base of 1, 2, 3, ... from the right
		order[i] = k % (n - i)
		k /= n - i
		for j := i + 1; j < n; j++ {
			if order[j] >= order[i] {
				order[j]++
			}
		}
	}
}

// MadeInRange begins the assumption that a loop over a map does not visit an entry that was
// made since it began. The type of the map follows.
const MadeInRange = "an entry made during a range over a "

// ExploresMaps reports whether the entries that a loop over a map visits are a choice.
func ExploresMaps() bool { return machine.Enter("ExploresMaps").M.Config.Maps == machine.MapExplore }

// MapGrows notes that a loop over a map of the type of() does not visit an entry that was made
// since it began. The text how says which entries.
func MapGrows(of func() string, how string) {
	assumeOrder(machine.Enter("MapGrows"), func() string { return MadeInRange + of() }, how)
}

// MeetMade returns which of n entries that were made since a loop over a map began it visits
// next, from 1 on; 0 means none.
func MeetMade(n int) int { return machine.Enter("MeetMade").Choose(n + 1) }

// Ranged counts n more maps with active loops in the execution of the caller.
func Ranged(n int32) {
	if g := machine.Leave("Ranged"); g != nil {
		g.M.Memory.Ranged += n
		atomic.AddInt32(&live.Ranged, n)
	}
}

// LibraryRange begins the assumption about a loop over a map in the standard library. The
// function follows.
const LibraryRange = "a range over a map by "

// WantsOrder reports whether the order in which the calling goroutine visits a map matters: it
// is controlled, and does not run code of this module.
func WantsOrder() bool {
	co := machine.Callers.Look()
	return co != nil && co.G != nil && !co.Serving && !co.M.Closing && co.M.Exec.Wants(machine.AssumeMapOrder)
}

// NoteOrder notes that the calling goroutine visits a map in one order. WantsOrder must have
// returned true.
func NoteOrder(what string) {
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		co.M.Exec.Assume(co.G, machine.AssumeMapOrder, what)
	}
}
