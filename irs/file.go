package irs

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// formatVersion is the version of the file format. It changes when an older reader would
// misread a file.
const formatVersion = 1

// saved is the content of a file, as JSON. A line before it has the format, the length and the
// checksum. Names are read without regard to case: files of before have those of the fields.
type saved struct {
	Module     string         `json:"module"`
	Races      sched.RaceMode `json:"races"`
	Goroutines [][]int32      `json:"goroutines"`
	First      []savedEvent   `json:"first"` // the first execution, which identifies the program
	Cut        int            `json:"cut"`   // the number of its events in the configuration
	// Constraints are pairs of events, given by goroutine and number: before, after.
	Constraints [][4]int32 `json:"constraints"`
	Known       [][]string `json:"known"` // by goroutine and number, names of kinds
	Traces      int64      `json:"traces"`
	Complete    bool       `json:"complete"`
}

type savedEvent struct {
	G      int32  `json:"g"`
	Alt    int32  `json:"alt"`
	Kind   string `json:"kind"`
	Object int32  `json:"object"`
	Place  string `json:"place"`
}

const header = "gopor irs prefix, format %d, %d bytes, sha256 %x\n"

// Save writes a prefix of a closure, for [Load].
func Save(w io.Writer, p *Prefix) error {
	if p.Goroutines == nil || p.free {
		return errors.New("irs: only a prefix that was verified, of a closure, can be saved")
	}
	s := saved{Module: module(), Races: p.races, Goroutines: p.Goroutines, Cut: len(p.Events), Traces: p.Traces, Complete: p.Complete}
	for _, e := range p.first {
		s.First = append(s.First, savedEvent{int32(e.G), e.alt, e.Kind.String(), e.obj, e.Place})
	}
	for _, c := range p.Constraints {
		s.Constraints = append(s.Constraints, [4]int32{int32(c.Before.G), c.Before.N, int32(c.After.G), c.After.N})
	}
	for _, ks := range p.known {
		names := make([]string, len(ks))
		for n, k := range ks {
			names[n] = strings.Join(kindNames(k), " ")
		}
		s.Known = append(s.Known, names)
	}
	body, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, header+"%s", formatVersion, len(body), sha256.Sum256(body), body)
	return err
}

// module returns the path of the main module of the binary.
func module() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		return b.Main.Path
	}
	return ""
}

// Load reads a prefix that [Save] has written, for the function f, which it runs once under
// control. It refuses a file that is truncated or was edited, and one of another format or
// module. It also refuses a file if f does not perform its first execution as written: the same
// operations, by the same goroutines, at the same places in the source. The error says why.
func Load(r io.Reader, f func()) (*Prefix, error) {
	s, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("irs: the file is not used: %w", err)
	}
	p, err := s.prefix()
	if err != nil {
		return nil, fmt.Errorf("irs: the file is not used: %w", err)
	}
	now, err := locate(f, exec.Options{Races: s.Races}, p.Goroutines, p.first)
	if err != nil {
		return nil, fmt.Errorf("irs: the file is of another program, or another version: %w", err)
	}
	for i, e := range p.first {
		if now[i].Kind != e.Kind || now[i].Place != e.Place {
			return nil, fmt.Errorf("irs: the file is of another program, or another version: event %d is %v by %s at %s, but was %v at %s when it was verified",
				i, now[i].Kind, p.Name(e.G), now[i].Place, e.Kind, e.Place)
		}
	}
	return p, nil
}

// read reads a file and checks that it is complete.
func read(r io.Reader) (*saved, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(text, []byte("\n"))
	var version, size int
	var sum []byte
	want := sha256.Sum256(body)
	switch _, err := fmt.Sscanf(string(line)+"\n", header, &version, &size, &sum); {
	case version != 0 && version != formatVersion:
		return nil, fmt.Errorf("its format is %d, and this version reads %d", version, formatVersion)
	case err != nil:
		return nil, errors.New("it does not begin as a prefix does")
	case len(body) < size:
		return nil, fmt.Errorf("it is truncated: %d of %d bytes are there", len(body), size)
	case !bytes.Equal(sum, want[:]):
		return nil, errors.New("it was changed: its checksum is another one")
	}
	s := new(saved)
	if err := json.Unmarshal(body, s); err != nil {
		return nil, err
	}
	if m := module(); s.Module != m {
		return nil, fmt.Errorf("it is of module %q, and this is %q", s.Module, m)
	}
	return s, nil
}

// prefix returns the prefix in a file.
func (s *saved) prefix() (*Prefix, error) {
	p := &Prefix{Goroutines: s.Goroutines, Traces: s.Traces, Complete: s.Complete, races: s.Races}
	numbers := make([]int32, len(s.Goroutines))
	for i, e := range s.First {
		kind, ok := kindOf(e.Kind)
		if !ok || e.G < 0 || int(e.G) >= len(numbers) || e.Object < -1 || e.Object > mostObjects {
			return nil, fmt.Errorf("event %d is %q of object %d by goroutine %d, which there is not", i, e.Kind, e.Object, e.G)
		}
		p.first = append(p.first, Event{EventID: EventID{trace.ID(e.G), numbers[e.G]}, Kind: kind, Place: e.Place, alt: e.Alt, obj: e.Object})
		numbers[e.G]++
	}
	if s.Cut < 0 || s.Cut > len(p.first) || len(s.Goroutines) == 0 {
		return nil, fmt.Errorf("it has %d events, and %d of them in the configuration", len(p.first), s.Cut)
	}
	p.Events = p.first[:s.Cut]
	for _, c := range s.Constraints {
		if c[0] < 0 || c[2] < 0 || int(c[0]) >= len(numbers) || int(c[2]) >= len(numbers) {
			return nil, fmt.Errorf("a constraint is on a goroutine that there is not: %v", c)
		}
		p.Constraints = append(p.Constraints, Constraint{EventID{trace.ID(c[0]), c[1]}, EventID{trace.ID(c[2]), c[3]}})
	}
	for _, names := range s.Known {
		ks := make([]uint64, len(names))
		for n, text := range names {
			for _, name := range strings.Fields(text) {
				kind, ok := kindOf(name)
				if !ok {
					return nil, fmt.Errorf("there is no operation %q", name)
				}
				ks[n] |= 1 << kind
				p.kinds |= 1 << kind
			}
		}
		p.known = append(p.known, ks)
	}
	p.compile()
	return p, nil
}

// mostObjects exceeds the number of objects of any program that can be verified.
const mostObjects = 1 << 24

// kindOf returns the kind with a name.
func kindOf(name string) (trace.Kind, bool) {
	for k := trace.Kind(1); k < 64; k++ {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// locate performs the events of an execution of f under control and returns them with their
// places in the source.
func locate(f func(), o exec.Options, goroutines [][]int32, events []Event) ([]Event, error) {
	o.Record = true
	c := exec.New(f, o)
	defer c.Shutdown()
	run := c.Start()
	var located []Event
	for _, e := range events {
		ev, err := run.Step(trace.Choice{G: c.Lookup(goroutines[e.G]), Alt: e.alt})
		if err != nil {
			return nil, err
		}
		e.Kind, e.Place = ev.Kind, place(ev.PC)
		located = append(located, e)
	}
	if left := run.Pending(); len(left) > 0 {
		return nil, fmt.Errorf("after %d events it goes on, with %v", len(events), left[0].Kind)
	}
	return located, nil
}

// place returns the folder, file and line of a call.
func place(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	file, line, _ := format.Place(pc)
	dir, name := path.Split(file)
	return fmt.Sprintf("%s/%s:%d", path.Base(dir), name, line)
}
