package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
)

// This file does the paper's experiments with buggy clients: lists in which a call of certain keys
// leaves its locks too early.

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

// tries is how many clients are drawn for one that has something wrong, and triedExecutions how
// many of its executions are looked at: which clients are drawn does not depend on time, so that
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
			// Where there is no hunt there are too few clients.
			if h := hunts[[2]string{class.name, x.label}]; h != nil {
				fmt.Fprintf(w.Out, "%-5s calls hasty: %-10s %v\n", class.name, x.label, h)
			}
		}
	}
	return nil
}
