//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filefaults

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// step is what a drawn program does: to the file with number i, or to the names i and j.
type step struct {
	what string
	i, j int
	n    int
}

const files = 3

func draw(rnd *rand.Rand) (p []step) {
	kinds := []string{"create", "create", "append", "write", "write", "write", "writeat", "sync", "sync", "truncate", "rename", "remove", "syncdir", "mkdir"}
	p = append(p, step{what: "create"}, step{what: "write", n: 3})
	for range 1 + rnd.IntN(6) {
		p = append(p, step{kinds[rnd.IntN(len(kinds))], rnd.IntN(2), rnd.IntN(files), rnd.IntN(6)})
	}
	return p
}

// data is what the k-th step writes.
func data(k, n int) []byte { return []byte(strings.Repeat(string(rune('a'+k)), n)) }

func text(err error) string {
	for _, e := range []error{syscall.ENOSPC, syscall.EIO, os.ErrNotExist, os.ErrExist} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	if err != nil {
		return "other"
	}
	return "ok"
}

// native runs a program on real files.
func native(dir string, p []step, said *[]string) {
	var open [files]*os.File
	name := func(i int) string { return filepath.Join(dir, fmt.Sprint("f", i)) }
	for k, s := range p {
		f := open[s.i]
		var err error
		n := 0
		switch s.what {
		case "create", "append":
			if f != nil {
				f.Close()
			}
			flag := os.O_RDWR | os.O_CREATE
			if s.what == "append" {
				flag |= os.O_APPEND
			} else {
				flag |= os.O_TRUNC
			}
			open[s.i], err = os.OpenFile(name(s.i), flag, 0o600)
		case "rename":
			err = os.Rename(name(s.i), name(s.j))
		case "remove":
			err = os.Remove(name(s.i))
		case "mkdir":
			err = os.Mkdir(filepath.Join(dir, "d"), 0o700)
		case "syncdir":
			d, e := os.Open(dir)
			if e != nil {
				panic(e)
			}
			err = d.Sync()
			d.Close()
		default:
			switch {
			case f == nil:
				err = errors.New("none")
			case s.what == "write":
				n, err = f.Write(data(k, s.n))
			case s.what == "writeat":
				n, err = f.WriteAt(data(k, s.n), int64(s.j))
			case s.what == "sync":
				err = f.Sync()
			case s.what == "truncate":
				err = f.Truncate(int64(s.n))
			}
		}
		*said = append(*said, fmt.Sprint(n, " ", text(err)))
	}
	for _, f := range open {
		if f != nil {
			f.Close()
		}
	}
}

func contents(dir string) string {
	var b strings.Builder
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		c, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		fmt.Fprintf(&b, "%s=%q ", e.Name(), c)
	}
	return b.String()
}

// Here begins the model. A node is an inode of a file, with all contents since its latest Sync.
type node struct {
	now    []byte
	before [][]byte
	half   []byte // what is left if half of the last change comes
	number int    // of the last change
	room   bool   // the file has its first page
}

func (n *node) change(number int, next, half []byte) {
	n.before, n.now, n.half, n.number = append(n.before, n.now), next, half, number
	n.room = n.room && len(next) > 0
}

func (n *node) sync() { n.before = nil }

type handle struct {
	of      *node
	at      int
	appends bool
}

// state is one of the model, which is copied by running the program anew.
type state struct {
	names map[string]*node
	open  [files]*handle
	said  []string
}

func (s *state) unsynced() (all []*node) {
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if n := s.names[name]; n != nil && len(n.before) > 0 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// lose is a power failure.
func (s *state) lose(way int) {
	all := s.unsynced()
	if len(all) == 0 {
		return
	}
	last := slices.MaxFunc(all, func(a, b *node) int { return a.number - b.number })
	for _, n := range all {
		switch {
		case way == 0, way == 3 && n != last:
			n.now = n.before[0]
		case way == 2 && n == last:
			n.now = n.half
		}
		n.sync()
	}
}

func (s *state) String() string {
	var b strings.Builder
	fmt.Fprint(&b, s.said, " ")
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		var c []byte
		if n := s.names[name]; n != nil {
			c = n.now
		}
		fmt.Fprintf(&b, "%s=%q ", name, c)
	}
	return b.String()
}

func put(c []byte, at int, b []byte) []byte {
	if len(b) == 0 {
		return c
	}
	return append(append(size(c, at), b...), c[min(len(c), at+len(b)):]...)
}

func size(c []byte, n int) []byte {
	next := slices.Clone(c[:min(n, len(c))])
	return append(next, make([]byte, n-len(next))...)
}

// fault is one fault of the model: before or at the k-th step, k being len(p) for the stop.
type fault struct {
	k    int
	kind string
	way  int
}

// model runs the program with one fault, or none. The result sites says at which steps which faults
// make a difference.
func model(p []step, f fault) (out string, sites []fault) {
	s := &state{names: make(map[string]*node)}
	site := func(k int, kind string) { sites = append(sites, fault{k: k, kind: kind}) }
	for k, st := range p {
		uses := true
		switch st.what {
		case "sync", "write", "truncate":
			uses = s.open[st.i] != nil
		case "writeat":
			uses = s.open[st.i] != nil && !s.open[st.i].appends
		}
		if uses && len(s.unsynced()) > 0 {
			site(k, "torn")
			if f.k == k && f.kind == "torn" {
				s.lose(f.way)
				return s.String(), nil
			}
		}
		if !uses {
			s.said = append(s.said, "0 other")
			continue
		}
		fails := func(kind string) bool {
			site(k, kind)
			return f.k == k && f.kind == kind
		}
		name, h := fmt.Sprint("f", st.i), s.open[st.i]
		n, err := 0, "ok"
		switch st.what {
		case "create", "append":
			s.open[st.i] = nil
			of := s.names[name]
			if of == nil {
				if fails("full") {
					err = syscall.ENOSPC.Error()
					break
				}
				of = new(node)
				s.names[name] = of
			}
			if st.what == "create" && len(of.now) > 0 {
				of.change(k, nil, of.now)
			}
			s.open[st.i] = &handle{of: of, appends: st.what == "append"}
		case "rename":
			to := fmt.Sprint("f", st.j)
			if s.names[name] == nil {
				err = os.ErrNotExist.Error()
			} else if to != name {
				s.names[to] = s.names[name]
				delete(s.names, name)
			}
		case "remove":
			if s.names[name] == nil {
				err = os.ErrNotExist.Error()
			}
			delete(s.names, name)
		case "mkdir":
			if _, is := s.names["d"]; is {
				err = os.ErrExist.Error()
			} else if fails("full") {
				err = syscall.ENOSPC.Error()
			} else {
				s.names["d"] = nil
			}
		case "syncdir":
			if fails("sync") {
				err = syscall.EIO.Error()
			}
		case "sync":
			if len(h.of.before) > 0 && fails("sync") {
				err = syscall.EIO.Error()
				if f.way == 0 {
					h.of.now = h.of.before[0]
					h.of.room = h.of.room && len(h.of.now) > 0
					h.of.sync()
				}
				break
			}
			h.of.sync()
		case "truncate":
			if st.n != len(h.of.now) {
				h.of.change(k, size(h.of.now, st.n), h.of.now)
			}
		case "write", "writeat":
			b, at := data(k, st.n), h.at
			if st.what == "writeat" {
				at = st.j
			}
			if h.appends {
				at = len(h.of.now)
			}
			if len(b) > 0 && (at+len(b) > len(h.of.now) || !h.of.room) && fails("full") {
				b, err = b[:len(b)/2], syscall.ENOSPC.Error()
			}
			n = len(b)
			if n > 0 {
				half := n / 2
				if at+half < len(h.of.now) { // a sector is not cut
					half = 0
				}
				h.of.change(k, put(h.of.now, at, b), put(h.of.now, at, b[:half]))
				h.of.room = true
			}
			if st.what == "write" {
				h.at = at + n
			}
		}
		s.said = append(s.said, fmt.Sprint(n, " ", err))
	}
	if len(s.unsynced()) > 0 {
		site(len(p), "torn")
		if f.k == len(p) && f.kind == "torn" {
			s.lose(f.way)
		}
	}
	return s.String(), sites
}

// TestDrawn holds the outcomes of drawn programs on one node, and the number of plans, to the model.
func TestDrawn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	programs := 10
	if os.Getenv("GOPOR_FULL") != "" {
		programs = 2000
	}
	if n, err := strconv.Atoi(os.Getenv("GOPOR_PROGRAMS")); err == nil {
		programs = n
	}
	plans := 0
	for range programs {
		p := draw(rnd)
		want, wantPlans := make(map[string]bool), 0
		none, sites := model(p, fault{k: -1})
		want[none] = true
		for _, f := range sites {
			ways := 1
			switch f.kind {
			case "torn":
				if ways, wantPlans = 4, wantPlans+1; f.k < len(p) {
					wantPlans++ // the node starts again after one of two times
				}
			case "sync":
				ways, wantPlans = 2, wantPlans+1
			default:
				wantPlans++
			}
			for f.way = range ways {
				out, _ := model(p, f)
				want[out] = true
			}
		}
		got := make(map[string]bool)
		res, err := por.Explore(func() {
			dir := t.TempDir()
			var said []string
			lives := 0
			n := por.NewNode("a", func() {
				if lives++; lives == 1 {
					native(dir, p, &said)
				}
			})
			n.Start()
			time.Sleep(5 * time.Minute)
			n.Stop()
			got[fmt.Sprint(said)+" "+contents(dir)] = true
		}, por.Faults(1, sched.FaultSync|sched.FaultFull|sched.FaultTorn), por.AllowLeaks())
		if err != nil {
			t.Fatal(p, err)
		}
		if len(res.Failures) > 0 {
			t.Fatal(p, res.Verdict, res.Failures)
		}
		if !maps.Equal(got, want) {
			for _, out := range slices.Sorted(maps.Keys(got)) {
				if !want[out] {
					t.Errorf("too much: %s", out)
				}
			}
			for _, out := range slices.Sorted(maps.Keys(want)) {
				if !got[out] {
					t.Errorf("missing: %s", out)
				}
			}
			t.Fatal(p)
		}
		level := res.Verdict.Faults.Levels[0]
		if level.Plans != wantPlans || !level.Exhausted() {
			t.Fatalf("%v: %d plans, want %d; %v", p, level.Plans, wantPlans, res.Verdict)
		}
		plans += wantPlans
	}
	t.Logf("%d programs, %d plans", programs, plans)
}
