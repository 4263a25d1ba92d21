package por

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// randomScript returns a script as executions may have them.
func randomScript(r *rand.Rand) script {
	paths := [][]int32{{}, {-1}, {0}, {1}, {0, 0}, {0, 1}, {300, 2, 1}}
	s := script{hash: r.Uint32(), moves: []scriptMove{}}
	if r.IntN(2) == 0 {
		s.seed = r.Uint64()
	}
	if r.IntN(2) == 0 {
		s.start = firstStart.Add(time.Duration(r.Int64N(int64(250 * 365 * 24 * time.Hour))))
	}
	for range r.IntN(8) {
		path := paths[r.IntN(len(paths))]
		for range 1 + r.IntN(20) {
			m := scriptMove{path: path, kind: trace.Kind(1 + r.IntN(30))}
			if r.IntN(4) == 0 {
				m.alt = r.Int32N(1000)
			}
			s.moves = append(s.moves, m)
		}
	}
	return s
}

// plain makes scripts comparable.
func plain(s script) []scriptMove {
	var out []scriptMove
	for _, m := range s.moves {
		m.path = append([]int32{}, m.path...)
		out = append(out, m)
	}
	return out
}

func TestReplayRoundTrip(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := randomScript(r)
		text := s.encode()
		got, err := decodeReplay(" " + text + "\n")
		if err != nil {
			t.Fatalf("%v of %+v: %v", text, s, err)
		}
		if got.hash != s.hash || got.seed != s.seed || !got.start.Equal(s.start) || !reflect.DeepEqual(plain(got), plain(s)) {
			t.Fatalf("got %+v, want %+v", got, s)
		}
	}
}

func TestReplayLongScheduleIsShort(t *testing.T) {
	var s script
	for i := range 10_000 {
		s.moves = append(s.moves, scriptMove{path: []int32{int32(i % 2)}, kind: trace.OpRead})
	}
	if text := s.encode(); len(text) > 300 {
		t.Errorf("%d characters for a livelock of two goroutines", len(text))
	}
}

func TestReplayRefusesDamage(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for range 500 {
		text := randomScript(r).encode()
		b := []byte(text)
		i := r.IntN(len(b))
		switch r.IntN(3) {
		case 0:
			b[i] = alphabet[r.IntN(len(alphabet))]
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = b[:i]
		}
		if string(b) == text {
			continue
		}
		_, err := decodeReplay(string(b))
		if err == nil || !strings.HasPrefix(err.Error(), "damaged: ") {
			t.Fatalf("%q made of %q: error is %v", b, text, err)
		}
	}
	for text, want := range map[string]string{
		"":             `does not begin with "p1"`,
		"p2AAAAAAAAAA": `does not begin with "p1"`,
		"p1A":          "a character that cannot be in it",
		"p1A$AA":       "a character that cannot be in it",
		"p1AAAA":       "only 3 bytes",
	} {
		if _, err := decodeReplay(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
	}
}

// FuzzDecodeReplay feeds bodies behind a valid checksum to the decoder, which
// must neither panic nor take much memory.
func FuzzDecodeReplay(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(randomScript(r).body())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d := decoder{rest: body}
		moves := d.moves()
		if len(moves) > len(body) {
			t.Errorf("%d events of %d bytes", len(moves), len(body))
		}
	})
}

// twoLocks is a closure for replays: a child and main take two locks; extra adds
// an operation before main's second lock.
func twoLocks(extra bool) func() {
	return func() {
		var a, b sched.Mutex
		n := sched.NewVar(0)
		h := sched.Go(func() {
			b.Lock()
			a.Lock()
			a.Unlock()
			b.Unlock()
		})
		a.Lock()
		if extra {
			n.Load()
		}
		b.Lock()
		b.Unlock()
		a.Unlock()
		h.Join()
	}
}

func TestReplayDivergence(t *testing.T) {
	name := Name("two locks")
	explore := Races(sched.RaceExplore)
	res, err := Explore(twoLocks(false), name)
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	replay := Replay(res.Failures[0].Replay)

	_, err = Explore(twoLocks(true), name, replay, explore)
	var d *trace.DivergenceError
	if !errors.As(err, &d) || d.Step != 3 {
		t.Fatalf("error is %v", err)
	}
	for _, part := range []string{
		"replay: diverged at step 3: expected lock by main, but main is about to read at replay_test.go:",
		"POR_REPLAY_LENIENT=1",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in %v", part, err)
		}
	}

	// Past the stale schedule, by option and by environment.
	res, err = Explore(twoLocks(true), name, replay, explore, Lenient())
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailDeadlock {
		t.Errorf("lenient: %+v, %v", res, err)
	}
	t.Setenv("POR_REPLAY_LENIENT", "1")
	res, err = Explore(twoLocks(true), name, replay, explore)
	if err != nil || len(res.Failures) != 1 {
		t.Errorf("POR_REPLAY_LENIENT: %+v, %v", res, err)
	}
	res, err = Explore(func() {}, name, replay)
	if err != nil || len(res.Failures) != 0 || res.Verdict.String() != "replayed 0 steps; the schedule runs without failure now" {
		t.Errorf("mended program: %+v, %v", res, err)
	}
	t.Setenv("POR_REPLAY_LENIENT", "0")
	_, err = Explore(func() {}, name, replay)
	if err == nil || !strings.Contains(err.Error(), "diverged at step 0: expected lock by main, but the execution is over") {
		t.Errorf("empty program: %v", err)
	}
	_, err = Explore(func() {
		var mu sched.Mutex
		mu.Lock()
	}, name, replay)
	if err == nil || !strings.Contains(err.Error(), "diverged at step 1: expected lock by g1, but the execution is over") {
		t.Errorf("shorter program: %v", err)
	}
}

func TestReplayOfEveryKind(t *testing.T) {
	effort.Computes(t)
	for _, test := range []struct {
		name string
		f    func()
		opts []Option
	}{
		{"steps", func() {
			v := sched.NewVar(0)
			sched.Go(func() {
				for v.Load() == 0 {
				}
			})
			for v.Load() == 0 {
			}
		}, []Option{MaxSteps(500)}},
		{"timers", func() {
			n := sched.NewVar(0)
			sched.AfterFunc(time.Second, func() { n.Store(1) })
			sched.Sleep(2 * time.Second)
			if n.Load() == 0 {
				panic("the later timer fires first")
			}
		}, []Option{Time(sched.TimeAnyOrder)}},
		{"clock", func() {
			c := sched.NewChan[int](0)
			sched.AfterFunc(time.Second, func() { panic("time is up") })
			c.Recv()
		}, nil},
		{"choice", func() {
			if sched.Choose(5) == 3 && sched.Choose(300) == 250 {
				panic("three")
			}
		}, nil},
		{"nested goroutines", func() {
			n := sched.NewVar(0)
			sched.Go(func() {
				sched.Go(func() { n.Store(1) })
				sched.Go(func() { n.Store(2) })
			}).Join()
			if n.Load() == 2 {
				panic("two")
			}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := append(test.opts, Name("x"), Races(sched.RaceExplore))
			res, err := Explore(test.f, opts...)
			if err != nil || len(res.Failures) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			want := res.Failures[0]
			res, err = Explore(test.f, append(opts, Replay(want.Replay))...)
			if err != nil || len(res.Failures) != 1 {
				t.Fatalf("%+v, %v\nof\n%s", res, err, want.Report)
			}
			got := res.Failures[0]
			if got.Kind != want.Kind || got.Msg != want.Msg || got.Replay != want.Replay || got.Steps != want.Steps {
				t.Errorf("got\n%s\nwant\n%s", got.Report, want.Report)
			}
		})
	}
}
