package history

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
)

// TestLinearizeAsPorcupine holds linearizable against porcupine, on random histories of two
// registers, with and without partitions.
func TestLinearizeAsPorcupine(t *testing.T) {
	type use struct {
		register, write int // 0 reads
	}
	whole := porcupine.Model{
		Init: func() any { return [2]int{} },
		Step: func(state, input, output any) (bool, any) {
			s, u := state.([2]int), input.(use)
			if u.write == 0 {
				return output == s[u.register], s
			}
			s[u.register] = u.write
			return true, s
		},
	}
	parted := whole
	parted.PartitionEvent = func(history []porcupine.Event) [][]porcupine.Event {
		parts := make([][]porcupine.Event, 2)
		at := make(map[int]int)
		for _, e := range history {
			if e.Kind == porcupine.CallEvent {
				at[e.Id] = e.Value.(use).register
			}
			parts[at[e.Id]] = append(parts[at[e.Id]], e)
		}
		return parts
	}
	legal := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var history []porcupine.Event
		open := make([]int, 3) // by client: its call, from 1
		input := make(map[int]use)
		for id := 0; id < 5 || open[0]+open[1]+open[2] > 0; {
			c := r.IntN(3)
			switch {
			case open[c] > 0:
				out := 0
				if input[open[c]].write == 0 {
					out = r.IntN(3)
				}
				history = append(history, porcupine.Event{ClientId: c, Kind: porcupine.ReturnEvent, Value: out, Id: open[c]})
				open[c] = 0
			case id < 5:
				id++
				open[c] = id
				input[id] = use{r.IntN(2), r.IntN(3)}
				history = append(history, porcupine.Event{ClientId: c, Kind: porcupine.CallEvent, Value: input[id], Id: id})
			}
		}
		for _, m := range []porcupine.Model{whole, parted} {
			got, longest, err := linearizable(&m, history, func() bool { return false })
			if want := porcupine.CheckEvents(m, history); err != nil || got != want || len(longest) >= 5 || got != (longest == nil) && len(longest) > 0 {
				t.Fatalf("seed %d: %v, want %v: %v", seed, got, want, longest)
			}
			if got {
				legal++
			}
		}
	}
	if legal < 500 || legal > 5500 {
		t.Errorf("%d of 6000 are linearizable", legal)
	}
}

// TestLongestExplanation: of several explanations that are as long as each other the one is shown
// that is nearest to the order in which the calls began.
func TestLongestExplanation(t *testing.T) {
	m := porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			if input == 0 {
				return output == state, state
			}
			return true, input
		},
	}
	var history []porcupine.Event
	for id, input := range []int{1, 2, 0} { // which reads what nobody has written
		history = append(history, porcupine.Event{Kind: porcupine.CallEvent, Value: input, Id: id})
	}
	for id, output := range []int{0, 0, 3} {
		history = append(history, porcupine.Event{Kind: porcupine.ReturnEvent, Value: output, Id: id})
	}
	ok, longest, err := linearizable(&m, history, func() bool { return false })
	if ok || err != nil || !slices.Equal(longest, []int{0, 1}) {
		t.Errorf("%v, %v, %v", ok, longest, err)
	}
}
