package hook

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// fewKeys is of how many keys [machine.MapExplore] explores all orders.
const fewKeys = 4

// MapOrder returns the order in which a loop comes upon the n entries of a map, as
// indexes of them in the order of [machine.MapSorted]; nil stands for that one. What is noted
// if another order could change the result: what says so. Alike says that the loop does
// the same in every order, unless others see how far it has come.
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
	if g.M.Ex.Wants(machine.AssumeMapOrder) {
		Serve(func() { g.M.Ex.Assume(g, machine.AssumeMapOrder, what()+how) })
	}
}

// someOrder sets order to the k-th of three.
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
func permutation(order []int, k int) {
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

// MadeInRange begins what is noted of a loop over a map, of which the type follows, that does not meet an entry that was made
// since it began.
const MadeInRange = "an entry made during a range over a "

// ExploresMaps reports whether what a loop over a map comes upon is a choice.
func ExploresMaps() bool { return machine.Enter("ExploresMaps").M.Config.Maps == machine.MapExplore }

// MapGrows notes that a loop over a map of that type does not meet an entry that was made since it began, how of
// which.
func MapGrows(of func() string, how string) {
	assumeOrder(machine.Enter("MapGrows"), func() string { return MadeInRange + of() }, how)
}

// MeetMade returns which of n entries that were made since it began a loop over a map meets next, from 1 on; 0 for none.
func MeetMade(n int) int { return machine.Enter("MeetMade").Choose(n + 1) }

// Ranged counts the maps over which loops are under way: n more are in the execution of the caller.
func Ranged(n int32) {
	if g := machine.Leave("Ranged"); g != nil {
		g.M.Ranged += n
		atomic.AddInt32(&live.Ranged, n)
	}
}

// LibraryRange begins what is noted of a loop over a map in the standard library. Whose it is follows.
const LibraryRange = "a range over a map by "

// WantsOrder reports whether it is of interest in which order the calling goroutine goes over a map: it is controlled, and
// does not run code of this module's own.
func WantsOrder() bool {
	co := machine.Callers.Look()
	return co != nil && co.G != nil && !co.Serving && !co.M.Closing && co.M.Ex.Wants(machine.AssumeMapOrder)
}

// NoteOrder notes that the calling goroutine, of which that is so, goes over a map in one order.
func NoteOrder(what string) {
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		co.M.Ex.Assume(co.G, machine.AssumeMapOrder, what)
	}
}
