package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

const defaultEngine = "optimal"

// bench is the command of that name.
func bench(args []string, e command.Env) int {
	r, fs, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(e.Out, benchUsage)
		fs.SetOutput(e.Out)
		fs.PrintDefaults()
		return command.OK
	case err != nil:
		return e.Misused("bench: %v", err)
	case r.list:
		list(e)
		return command.OK
	case r.table == statefulTable:
		limit := r.timeout
		if limit == 0 {
			limit = statefulTime
		}
		return runStateful(statefulOptions{right: rightClients, buggy: buggyClients, threads: clientThreads, limit: limit, json: r.json, pictures: r.pictures}, e)
	case r.table != "":
		return runTable(r, e)
	}
	s, err := r.search()
	if err != nil {
		return e.Misused("bench: %v", err)
	}
	if e.Progress {
		s.watch = newProgress(s, e.Err)
	}
	res, err := s.run(e.Interrupt)
	if r.json {
		err = errors.Join(err, writeJSON(e.Out, res))
	} else {
		fmt.Fprintln(e.Out, res)
	}
	if err != nil {
		return e.Failedf("bench: %v", err)
	}
	if s.interrupted {
		return command.Interrupted
	}
	return command.OK
}

// search makes a search of the request, or says what is wrong with it.
func (r *request) search() (*search, error) {
	p, ok := paper.Named(r.program)
	if !ok {
		return nil, fmt.Errorf("unknown program %q; allowed: %s", r.program, strings.Join(programNames(), ", "))
	}
	n, m, err := sizes(&p, r.n, r.m)
	if err != nil {
		return nil, err
	}
	set := r.setting
	switch {
	case set.name == "" && set.workers != nil:
		set.name = engine.Reverse{}.Name()
	case set.name == "":
		set.name = defaultEngine
	}
	engine, err := set.engine()
	if err != nil {
		return nil, err
	}
	if trace.Describe(engine).Random && r.maxExecutions == 0 && r.timeout == 0 {
		return nil, fmt.Errorf("engine %s never ends by itself; give -max-executions or -timeout", set.name)
	}
	return &search{
		program: p, n: n, m: m,
		setting: set, engine: engine,
		maxExecutions: r.maxExecutions, timeout: r.timeout, traces: r.traces,
	}, nil
}

// sizes returns what the program is to be made with. Sizes that are not given
// are the program's defaults.
func sizes(p *paper.Program, n, m *int) (int, int, error) {
	vn, err := size(p.Name, "-n", p.N, n)
	if err != nil {
		return 0, 0, err
	}
	vm, err := size(p.Name, "-m", p.M, m)
	if err != nil {
		return 0, 0, err
	}
	return vn, vm, p.Check(vn, vm)
}

func size(program, flag string, s paper.Size, v *int) (int, error) {
	switch {
	case v == nil:
		return s.Default, nil
	case s == paper.Size{}:
		return 0, fmt.Errorf("%s does not apply to program %s", flag, program)
	}
	return *v, nil
}
