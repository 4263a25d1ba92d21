package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/unfold"
	"github.com/gopor/gopor/unfold/picture"
)

const unfoldUsage = `usage: porbench unfold PROGRAM [flags]

Draws the unfolding of a small program, one of those that porbench bench -list names:
what can happen, what has to happen before, and what excludes each other. The ending
of the file says how: .svg is a drawing that browsers show, .dot or .gv is text for
Graphviz. Standard output gets SVG.

flags:
`

// drawing is what the command line of unfold asks for.
type drawing struct {
	program paper.Program
	n, m    int
	file    string // "-" is standard output
	limit   int
	config  int // 0: none
}

// unfolding is the command unfold.
func unfolding(args []string, e command.Env) int {
	d, fs, err := parseDrawing(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(e.Out, unfoldUsage)
		fs.SetOutput(e.Out)
		fs.PrintDefaults()
		return command.OK
	case err != nil:
		return e.Misused("unfold: %v", err)
	}
	o := d.program.Options
	o.Record = true
	c := exec.New(d.program.Make(d.n, d.m), o)
	type result struct {
		unfolding *unfold.Unfolding
		err       error
	}
	done := make(chan result, 1)
	go func() {
		u, err := unfold.Unfold(c, d.limit)
		c.Shutdown()
		done <- result{u, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return e.Failedf("%s: %v", d.title(), r.err)
		}
		return d.draw(&picture.Picture{Unfolding: r.unfolding, Title: d.title(), Highlight: d.config}, e)
	case <-e.Interrupt:
		c.Interrupt(true)
		return command.Interrupted
	}
}

// parseDrawing reads the command line. A flag.ErrHelp asks for help.
func parseDrawing(args []string) (*drawing, *flag.FlagSet, error) {
	d := &drawing{}
	var n, m int
	fs := flag.NewFlagSet("unfold", flag.ContinueOnError)
	fs.IntVar(&n, "n", 0, "the program's first `parameter`")
	fs.IntVar(&m, "m", 0, "the program's second `parameter`")
	fs.StringVar(&d.file, "o", "-", "the `file` to write, .svg, .dot or .gv; - is standard output")
	fs.IntVar(&d.limit, "limit", picture.DefaultEvents, "the largest `number` of events to draw")
	fs.IntVar(&d.config, "config", 0, "the `number` of a maximal configuration to show among the others")
	positionals, given, err := parseAround(fs, args)
	if err != nil {
		return nil, fs, err
	}
	switch {
	case len(positionals) == 0:
		return nil, fs, fmt.Errorf("no program; allowed: %s", strings.Join(programNames(), ", "))
	case len(positionals) > 1:
		return nil, fs, fmt.Errorf("%d programs (%s), but one is allowed", len(positionals), strings.Join(positionals, " "))
	case d.limit < 1:
		return nil, fs, fmt.Errorf("-limit is %d, but has to be at least 1", d.limit)
	case given["config"] && d.config < 1:
		return nil, fs, fmt.Errorf("-config is %d, but has to be at least 1", d.config)
	}
	if _, err := d.writer(); err != nil {
		return nil, fs, err
	}
	var ok bool
	if d.program, ok = paper.Named(positionals[0]); !ok {
		return nil, fs, fmt.Errorf("unknown program %q; allowed: %s", positionals[0], strings.Join(programNames(), ", "))
	}
	var pn, pm *int
	if given["n"] {
		pn = &n
	}
	if given["m"] {
		pm = &m
	}
	d.n, d.m, err = sizes(&d.program, pn, pm)
	return d, fs, err
}

// writer returns what writes a picture as the ending of the file says.
func (d *drawing) writer() (func(*picture.Picture, io.Writer) error, error) {
	switch ending := strings.ToLower(filepath.Ext(d.file)); {
	case d.file == "-", ending == ".svg":
		return (*picture.Picture).WriteSVG, nil
	case ending == ".dot", ending == ".gv":
		return (*picture.Picture).WriteDOT, nil
	}
	return nil, fmt.Errorf("-o is %q, but has to end in .svg, .dot or .gv, or be -", d.file)
}

// title is the program as one writes it: "disp(5, 2)".
func (d *drawing) title() string {
	switch none := (paper.Size{}); {
	case d.program.N == none:
		return d.program.Name
	case d.program.M == none:
		return fmt.Sprintf("%s(%d)", d.program.Name, d.n)
	}
	return fmt.Sprintf("%s(%d, %d)", d.program.Name, d.n, d.m)
}

// draw writes the picture and returns the exit status.
func (d *drawing) draw(p *picture.Picture, e command.Env) int {
	if d.config > len(p.Maximal) {
		return e.Misused("unfold: -config is %d, but %s has %d maximal configurations", d.config, p.Title, len(p.Maximal))
	}
	var b bytes.Buffer
	write, err := d.writer()
	if err == nil {
		err = write(p, &b)
	}
	switch {
	case err != nil:
	case d.file == "-":
		_, err = e.Out.Write(b.Bytes())
	default:
		err = os.WriteFile(d.file, b.Bytes(), 0o666)
	}
	if err != nil {
		return e.Failedf("unfold: %v", err)
	}
	return command.OK
}
