package replay

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// randomScript returns a script as executions may have them.
func randomScript(r *rand.Rand) Script {
	paths := [][]int32{{}, {-1}, {0}, {1}, {0, 0}, {0, 1}, {300, 2, 1}}
	s := Script{Hash: r.Uint32(), Moves: []Move{}}
	if r.IntN(2) == 0 {
		s.Seed = r.Uint64()
	}
	if s.Time = sched.TimeMode(r.IntN(3)); s.Time == sched.TimeLag {
		s.Lag = time.Duration(r.IntN(2000))
	}
	s.Pools = r.IntN(2) == 0
	s.Plan = []string{"", "reset::3", "refuse:0.1:2,delay:300.2.1:0:1m0s"}[r.IntN(3)]
	if r.IntN(2) == 0 {
		s.Start = FirstStart.Add(time.Duration(r.Int64N(int64(250 * 365 * 24 * time.Hour))))
	}
	for range r.IntN(8) {
		path := paths[r.IntN(len(paths))]
		for range 1 + r.IntN(20) {
			m := Move{Path: path, Kind: trace.Kind(1 + r.IntN(30))}
			if r.IntN(4) == 0 {
				m.Alt = r.Int32N(1000)
			}
			s.Moves = append(s.Moves, m)
		}
	}
	return s
}

// plain makes Scripts comparable.
func plain(s Script) []Move {
	var out []Move
	for _, m := range s.Moves {
		m.Path = append([]int32{}, m.Path...)
		out = append(out, m)
	}
	return out
}

func TestReplayRoundTrip(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := randomScript(r)
		text := s.Encode()
		got, err := Decode(" " + text + "\n")
		if err != nil {
			t.Fatalf("%v of %+v: %v", text, s, err)
		}
		if got.Hash != s.Hash || got.Seed != s.Seed || got.Time != s.Time || got.Lag != s.Lag || got.Pools != s.Pools || got.Plan != s.Plan || !got.Start.Equal(s.Start) || !cmp.Equal(plain(got), plain(s)) {
			t.Fatalf("(-want +got)\n%s", cmp.Diff(s, got))
		}
	}
}

// TestReplayOfPools has strings that were made when goroutines shared all Pools, and one with a mode
// of time that there is not.
func TestReplayOfPools(t *testing.T) {
	o := exec.Options{Coarser: exec.Coarser{OwnPools: true}}
	s, err := Decode("p1hv81GwADAAEAAQIEAAMBAwIDAAEAChcXGR8fGB8fGAbicYep")
	if err != nil || s.Pools {
		t.Errorf("%v, %+v", err, s)
	}
	if s.Set(&o); o.OwnPools {
		t.Error("the options have Pools of each goroutine's own")
	}
	s.Pools = true
	if s.Set(&o); !o.OwnPools {
		t.Error("the options have shared Pools")
	}
	for _, s := range []Script{{Time: 3}, {Time: 3, Pools: true}} {
		if s, err := Decode(s.Encode()); err == nil {
			t.Errorf("no error for %+v", s)
		}
	}
}

func TestReplayLongScheduleIsShort(t *testing.T) {
	var s Script
	for i := range 10_000 {
		s.Moves = append(s.Moves, Move{Path: []int32{int32(i % 2)}, Kind: trace.OpRead})
	}
	if text := s.Encode(); len(text) > 300 {
		t.Errorf("%d characters for a livelock of two goroutines", len(text))
	}
}

func TestReplayRefusesDamage(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for range 500 {
		text := randomScript(r).Encode()
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
		_, err := Decode(string(b))
		if err == nil || !strings.HasPrefix(err.Error(), "damaged: ") {
			t.Fatalf("%q made of %q: error is %v", b, text, err)
		}
	}
	for text, want := range map[string]string{
		"":             `does not begin with "p1"`,
		"p3AAAAAAAAAA": `does not begin with "p1"`,
		"p1A":          "a character that cannot be in it",
		"p1A$AA":       "a character that cannot be in it",
		"p1AAAA":       "only 3 bytes",
	} {
		if _, err := Decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
	}
}

// FuzzDecode feeds bodies behind a valid checksum to the decoder, which
// must neither panic nor take much memory.
func FuzzDecode(f *testing.F) {
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

// TestReplayOfFaults has strings of version p2 with a plan that is none, or is empty.
func TestReplayOfFaults(t *testing.T) {
	sealed := func(plan string) string {
		body := append([]byte{0, 0, 0, 1, 0, byte(len(plan))}, plan...)
		body = append(body, 0, 0, 0, 0)
		body = binary.BigEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
		return "p2" + base64.RawURLEncoding.EncodeToString(body)
	}
	if s, err := Decode(sealed("reset:0:1")); err != nil || s.Plan != "reset:0:1" {
		t.Errorf("%v, %+v", err, s)
	}
	for plan, want := range map[string]string{"": "empty plan", "rest:0:1": "no kind of fault"} {
		if _, err := Decode(sealed(plan)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", plan, err, want)
		}
	}
	var o exec.Options
	if (&Script{Plan: "lose::0"}).Set(&o); o.Plan != "lose::0" {
		t.Error(o.Plan)
	}
}
