package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// results are those of one go test command.
type results struct {
	tests    map[string]*result // by package and name
	order    []string
	unbuilt  []string // packages
	warnings []string // of packages that are less under control than they should be
	output   strings.Builder
	stopped  bool
	seconds  float64
}

// result is what came of a test function.
type result struct {
	action string // of package test2json: pass, fail, skip
	output strings.Builder
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// printed is what one command has printed.
type printed struct {
	Output, Problems string
	Seconds          float64
	Stopped          bool
}

// test builds the tests of the module and runs them by a command that has the arguments of go
// test, or takes what was kept of its run. On a machine that is busy building may take longer than
// all the tests do, and is not counted.
func (m module) test(kind, dir, name string, how, tests []string) *results {
	file := filepath.Join(*keep, strings.ReplaceAll(m.path, "/", "+")+"."+kind+".json")
	var p printed
	if data, err := os.ReadFile(file); *keep == "" || err != nil || json.Unmarshal(data, &p) != nil {
		build := slices.Concat([]string{"test"}, how, []string{"-run=^$"}, m.packages)
		execute(dir, name, build)
		p = execute(dir, name, slices.Concat([]string{"test"}, how, tests))
		if data, err := json.Marshal(p); *keep != "" && err == nil {
			os.WriteFile(file, data, 0o666)
		}
	}
	r := &results{tests: make(map[string]*result), seconds: p.Seconds, stopped: p.Stopped}
	for line := range strings.Lines(p.Output) {
		var e event
		if json.Unmarshal([]byte(line), &e) == nil {
			r.add(m, e)
		}
	}
	for line := range strings.Lines(p.Problems) {
		r.say(line)
	}
	slices.Sort(r.order)
	return r
}

// execute runs a command, and ends it and all that it has started when the limit of time is over.
func execute(dir, name string, args []string) printed {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "POR_SAVE=off")
	endAll(cmd)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	begin := time.Now()
	cmd.Run()
	return printed{out.String(), problems.String(), time.Since(begin).Seconds(), errors.Is(ctx.Err(), context.DeadlineExceeded)}
}

// say adds a line that belongs to no test.
func (r *results) say(line string) {
	if line = strings.TrimSpace(line); strings.HasPrefix(line, "por: warning: package ") && !slices.Contains(r.warnings, line) {
		r.warnings = append(r.warnings, line)
	}
	r.output.WriteString(line + "\n")
}

func (r *results) add(m module, e event) {
	switch {
	case e.Action == "fail" && e.Test == "" && e.FailedBuild != "":
		r.unbuilt = append(r.unbuilt, e.Package)
	case e.Action == "build-output":
		r.say(e.Output)
	}
	if !strings.HasPrefix(e.Test, "Test") || strings.Contains(e.Test, "/") {
		return
	}
	name := strings.TrimPrefix(path.Join(strings.TrimPrefix(e.Package, m.path), e.Test), "/")
	t := r.tests[name]
	if t == nil {
		t = new(result)
		r.tests[name] = t
		r.order = append(r.order, name)
	}
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
	case "pass", "fail", "skip":
		t.action = e.Action
	}
}

// problem returns the first line that the compiler, or the go command, has to say.
func (r *results) problem() string {
	for line := range strings.Lines(r.output.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: ") && !strings.HasPrefix(line, "por: ") {
			return line
		}
	}
	return strings.TrimSpace(r.output.String())
}

// ended says how the command has ended.
func (r *results) ended() string {
	if r.stopped {
		return "takes longer than " + limit.String()
	}
	return fmt.Sprintf("ends after %.0f s", r.seconds)
}
