package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/internal/command"
)

// This file does the evaluation of the paper on stateful partial order reduction (Cirisci et
// al., section 4.1) anew: clients of data structures, each run by every engine until all of
// it is explored, and buggy ones until what is wrong is found. Wrong is what calls return that
// they never return one at a time.

// statefulTable is the name of the table.
const statefulTable = "stateful"

// The sizes of the paper's benchmark.
const (
	rightClients  = 75
	buggyClients  = 310
	clientThreads = 3
)

// statefulTime is how long a client is run by an engine, unless the command line says so.
const statefulTime = time.Second

// statefulOptions says how much of the evaluation is to be done.
type statefulOptions struct {
	right, buggy int // clients; a quarter as many more are drawn like the buggy ones and are right
	threads      int // of each
	limit        time.Duration
	json         bool
	pictures     string // the folder of the quantile plots, "" for none
}

// runStateful does the evaluation.
func runStateful(o statefulOptions, e command.Env) int {
	w := &evaluation{statefulOptions: o, Env: e}
	err := w.phase(fmt.Sprintf("%d clients", o.right), w.all)
	if err == nil && o.pictures != "" {
		err = w.draw()
	}
	var list []buggyClient
	if err == nil {
		err = w.phase("drawing clients that have something wrong", func() (err error) {
			list, err = w.drawBuggies()
			return err
		})
	}
	if err == nil {
		err = w.phase(fmt.Sprintf("hunts of %d clients", len(list)), func() error { return w.bugs(list) })
	}
	if err == nil && !o.json && o.buggy > 0 {
		err = w.phase("orders", func() error { return w.orders(list) })
	}
	switch {
	case err == errInterrupted:
		return command.Interrupted
	case err != nil:
		return e.Failedf("bench: %v", err)
	}
	return command.OK
}

var errInterrupted = errors.New("interrupted")

type evaluation struct {
	statefulOptions
	command.Env
	runs [][]statefulRun // of the first experiment, by client and engine
	name string          // what is being done
}

// phase does a part of the evaluation, and says how long that has taken.
func (w *evaluation) phase(name string, do func() error) error {
	begin := time.Now()
	w.name = name
	err := do()
	w.show("")
	if err == nil && !w.json {
		fmt.Fprintf(w.Out, "(%s: %v)\n", name, time.Since(begin).Round(time.Second))
	}
	return err
}

// show shows on a terminal how far a phase is.
func (w *evaluation) show(format string, args ...any) {
	switch {
	case !w.Progress:
	case format == "":
		fmt.Fprint(w.Err, "\r\x1b[K")
	default:
		fmt.Fprintf(w.Err, "\r\x1b[K%s: %s", w.name, fmt.Sprintf(format, args...))
	}
}

// run explores a client, and prints what has come of it.
func (w *evaluation) run(c controlled.Client, x contestant, right map[string]bool, first bool) (statefulRun, error) {
	if w.Interrupted() {
		return statefulRun{}, errInterrupted
	}
	r, err := exploreClient(c, x, right, w.limit, first)
	if err == nil && w.json {
		err = writeJSON(w.Out, r)
	}
	return r, err
}
