package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/por"
)

// This file does the paper's experiments with buggy clients: lists whose locks are left too
// early where a call is of certain keys.

// hastiness says which calls of a client lead to what is wrong. Those of the last class are
// right.
var hastiness = []struct {
	name  string
	hasty func(key int) bool
}{
	{"all", controlled.Always},
	{"half", func(key int) bool { return key%2 == 1 }},
	{"one", func(key int) bool { return key == 1 }},
	{"none", controlled.Never},
}

// drawBuggy draws client i of the second experiment, of the lists, with up to four calls.
func (o *statefulOptions) drawBuggy(i int, hasty func(int) bool, seed uint64) controlled.Client {
	k, _ := controlled.KindNamed([]string{"coarse-list", "optimistic-list"}[i%2])
	c := controlled.NewClient(k, controlled.Shape{Threads: o.threads, Calls: 2 + i/8%3, Values: 2 + i/16%2}, seed)
	c.Hasty = hasty
	return c
}

// buggyClient is a client that has something wrong, unless its class is "none".
type buggyClient struct {
	controlled.Client
	class string
	right map[string]bool
}

// tries is how many clients are drawn for one that has something wrong, and triedExecutions how many
// of its executions are looked at: which clients are drawn does not depend on time, so that
// they are the same ones everywhere.
const (
	tries           = 200
	triedExecutions = 10000
)

// drawBuggies draws as many clients as have something wrong, a third of each class, as optimal
// DPOR finds out, and a quarter as many that have not.
func (w *evaluation) drawBuggies() (list []buggyClient, err error) {
	xs := contestants()
	judge := xs[place(xs, "optimal")]
	seed := uint64(0)
	for i := range w.buggy + (w.buggy+3)/4 {
		if w.Interrupted() {
			return nil, errInterrupted
		}
		w.show("%d done", i)
		class := hastiness[i/2%3]
		if i >= w.buggy {
			class = hastiness[3]
		}
		c := buggyClient{class: class.name}
		for n := 0; ; n++ {
			if n == tries {
				return nil, fmt.Errorf("of %d clients like %v, hasty with %s, none is fit", n, c, c.class)
			}
			seed++
			c.Client = w.drawBuggy(i, class.hasty, seed)
			c.right = c.Outcomes()
			r, err := exploreSome(c.Client, judge, c.right, time.Hour, true, triedExecutions)
			if err != nil {
				return nil, err
			}
			if r.Wrong && class.name == "none" {
				return nil, fmt.Errorf("%v: an outcome that is wrong; %s", c, r.Note)
			}
			if r.Finished && r.Wrong == (class.name != "none") {
				break
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// hunt is what an engine has come to with clients.
type hunt struct {
	clients int
	seconds []float64 // until what is wrong was found, of those where it was
}

func (h *hunt) add(other *hunt) {
	h.clients += other.clients
	h.seconds = append(h.seconds, other.seconds...)
}

// huntLimits are the times within which it is said how many clients an engine has found wrong.
var huntLimits = []time.Duration{time.Second / 4, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute}

// String tells how many were found, within which time, and how long all of those took.
func (h *hunt) String() string {
	text := fmt.Sprintf("finds %d of %d", len(h.seconds), h.clients)
	if len(h.seconds) == 0 {
		return text
	}
	sum, most := 0.0, slices.Max(h.seconds)
	for _, s := range h.seconds {
		sum += s
	}
	for _, limit := range huntLimits {
		n := 0
		for _, s := range h.seconds {
			if s <= limit.Seconds() {
				n++
			}
		}
		text += fmt.Sprintf(", %d in %v", n, limit)
		if n == len(h.seconds) {
			break
		}
	}
	return text + fmt.Sprintf("; %.5f s on average, %.4f s at most", sum/float64(len(h.seconds)), most)
}

// bugs does the second experiment: each client is run by every engine until what is wrong is
// found.
func (w *evaluation) bugs(list []buggyClient) error {
	xs := hunters()
	hunts := make(map[[2]string]*hunt) // by class and engine
	for i, c := range list {
		w.show("%d done", i)
		for _, x := range xs {
			r, err := w.run(c.Client, x, c.right, true)
			if err != nil {
				return err
			}
			if r.Finished && r.Wrong == (c.class == "none") {
				return fmt.Errorf("%v, hasty with %s: %s has explored everything, and found something wrong: %v", c, c.class, x.label, r.Wrong)
			}
			h := hunts[[2]string{c.class, x.label}]
			if h == nil {
				h = new(hunt)
				hunts[[2]string{c.class, x.label}] = h
			}
			h.clients++
			if r.Wrong {
				h.seconds = append(h.seconds, r.Seconds)
			}
		}
	}
	if w.json || w.buggy == 0 {
		return nil
	}
	fmt.Fprintf(w.Out, "\n%d clients of hasty lists, and %d that are right, until the first outcome that is wrong:\n", w.buggy, len(list)-w.buggy)
	for _, x := range xs {
		var all hunt
		for _, class := range hastiness {
			if h := hunts[[2]string{class.name, x.label}]; h != nil && class.name != "none" {
				all.add(h)
			}
		}
		fmt.Fprintf(w.Out, "%-10s %v\n", x.label, &all)
	}
	for _, class := range hastiness {
		for _, x := range xs {
			if h := hunts[[2]string{class.name, x.label}]; h != nil { // else there are too few clients
				fmt.Fprintf(w.Out, "%-5s calls hasty: %-10s %v\n", class.name, x.label, h)
			}
		}
	}
	return nil
}

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
	case por.SPOR:
		e.Seed = uint64(i + 1)
		x.engine = e
	case por.DLSPOR:
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
