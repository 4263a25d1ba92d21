package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/por/engine"
)

// mostOrdered is how many clients of a class are run in all orders.
const mostOrdered = 20

// orders runs buggy clients with the goroutines in all orders, and in orders that are drawn
// anew for every state, as figures 9 and 10 do.
func (w *evaluation) orders(list []buggyClient) error {
	if w.threads != clientThreads {
		return nil
	}
	xs := contestants()
	for _, label := range []string{"S-POR", "DL-S-POR"} {
		x := xs[place(xs, label)]
		for _, first := range []bool{false, true} {
			for _, s := range []strategy{sequential, random} {
				var all scatter
				count := make(map[string]int)
				for i, c := range list {
					w.show("%s, %s, %d of %d", label, s.name, i, len(list))
					if count[c.class]++; c.class == "none" || count[c.class] > mostOrdered {
						continue
					}
					seconds, err := s.times(w, c, x, first)
					if err != nil {
						return err
					}
					all.add(seconds)
				}
				fmt.Fprintf(w.Out, "%s of the goroutines, %s, %s: %s\n", s.name, label, map[bool]string{false: "all states", true: "until the first error"}[first], all)
			}
		}
	}
	fmt.Fprintln(w.Out, "the paper, until the first error: 20 s on average and a standard deviation of 60 s in fixed orders, 17 s and 28 s in random ones")
	return nil
}

// strategy is a way to order the goroutines that are taken in a state, in several instances.
type strategy struct {
	name      string
	instances int
	// instance returns instance i of a client and an engine.
	instance func(i int, c controlled.Client, x contestant) (controlled.Client, contestant)
}

// sequential has the goroutines in the order of their numbers, and numbers them in all ways.
var sequential = strategy{"fixed orders", 6, func(i int, c controlled.Client, x contestant) (controlled.Client, contestant) {
	d := c
	d.Calls = nil
	for _, g := range [6][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}[i] {
		d.Calls = append(d.Calls, c.Calls[g])
	}
	return d, x
}}

// random draws the order in every state, by three seeds.
var random = strategy{"random orders", 3, func(i int, c controlled.Client, x contestant) (controlled.Client, contestant) {
	switch e := x.engine.(type) {
	case engine.SPOR:
		e.Seed = uint64(i + 1)
		x.engine = e
	case engine.DLSPOR:
		e.Seed = uint64(i + 1)
		x.engine = e
	}
	return c, x
}}

// times returns how long the instances take, nil if one of them is not finished.
func (s strategy) times(w *evaluation, c buggyClient, x contestant, first bool) (seconds []float64, err error) {
	for i := range s.instances {
		if w.Interrupted() {
			return nil, errInterrupted
		}
		d, y := s.instance(i, c.Client, x)
		r, err := exploreClient(d, y, d.Outcomes(), w.limit, first)
		if err != nil {
			return nil, err
		}
		if !r.Finished {
			return nil, nil
		}
		seconds = append(seconds, r.Seconds)
	}
	return seconds, nil
}

// scatter sums up how long clients take in several instances.
type scatter struct {
	clients                int
	mean, least, deviation float64
}

func (s *scatter) add(seconds []float64) {
	if len(seconds) == 0 {
		return
	}
	mean, squares := 0.0, 0.0
	for _, x := range seconds {
		mean += x / float64(len(seconds))
	}
	for _, x := range seconds {
		squares += (x - mean) * (x - mean) / float64(len(seconds))
	}
	s.clients++
	s.mean += mean
	s.least += slices.Min(seconds)
	s.deviation += math.Sqrt(squares)
}

func (s scatter) String() string {
	n := float64(max(s.clients, 1))
	return fmt.Sprintf("%d clients, %.5f s on average, %.5f s in the best, a standard deviation of %.5f s", s.clients, s.mean/n, s.least/n, s.deviation/n)
}
