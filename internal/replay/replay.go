// Package replay encodes schedules as replay strings, and decodes them.
package replay

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// A replay string is a schedule in a form that can be copied. It begins with "p1", the version, or
// with "p2" if the execution has faults. The rest is base64 in the alphabet for URLs, without
// padding, of
//
//	hash     4 bytes   of the name of the Check, so that a schedule of another Check is refused
//	flags    1 byte    bit 0: the part up to the checksum is deflated
//	                   bit 1: the clock is present
//	                   bit 2: the seed is present
//	                   bit 3: exec.Options.Awaits was set, and the program calls sched.Loop
//	                   bit 4: the start is present
//	                   bit 5: exec.Options.Keyed was set, and loops have marked their iterations
//	                   bit 6: sched.ModelLock was explored
//	                   bit 7: sched.ModelStream was explored
//	plan     the length of the plan of faults, and the plan as exec.Options has it; "p2" only
//	clock    1 byte    the sched.TimeMode, plus 4 if exec.Options.OwnPools was set and the program
//	                   uses a Pool, and the lag in nanoseconds; omitted if all of it is 0
//	seed     a number  of random numbers; omitted if it is 0
//	start    a number  the start of the clock in nanoseconds since 1950; omitted if it is
//	                   exec.DefaultStart
//	names    the number of goroutines, then for each the length of its path and the path
//	stretches the number of stretches, then for each the goroutine's index in names and the
//	                   number of its events
//	alts     the number of alternatives other than 0, then for each the number of events since
//	                   the previous one, and the alternative
//	print    1 byte    hash of the names of all kinds of operations: kinds of another numbering
//	                   are ignored
//	kinds    1 byte    per event, the trace.Kind, by which a replay detects changes of the program
//	checksum 4 bytes   CRC-32 (IEEE) of all before
//
// Numbers are varints. Elements of a path are zigzag varints, since the path of the clock is
// -1. The hash and the checksum are big-endian.

// Version is the prefix of replay strings without faults, and faulty is that of the others. A
// release that knows no faults refuses the latter.
const (
	Version = "p1"
	faulty  = "p2"
)

// IsOne reports whether a text begins as replay strings do.
func IsOne(text string) bool {
	return strings.HasPrefix(text, Version) || strings.HasPrefix(text, faulty)
}

const (
	flagDeflated = 1 << iota
	flagClock
	flagSeed
	flagAwaits
	flagStart
	flagKeyed
	flagLocks
	flagStream
)

// clockPools is added to the time mode: goroutines have Pools of their own.
const clockPools = 4

// FirstStart is the earliest start of the clock.
var FirstStart = time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC)

// maxEvents limits the memory that decoding a damaged string may take.
const maxEvents = 1 << 24

// Paths translates between the numbers of goroutines, which differ between processes, and their
// paths, which are the same in all. [exec.Closure] implements it.
type Paths interface {
	Path(trace.ID) []int32
	Lookup(path []int32) trace.ID
	Name(trace.ID) string
}

// Numbering implements Paths for programs without paths: the number of a goroutine is its path.
type Numbering struct{}

func (Numbering) Path(id trace.ID) []int32 { return []int32{int32(id)} }

func (Numbering) Name(id trace.ID) string { return "g" + strconv.Itoa(int(id)) }

func (Numbering) Lookup(path []int32) trace.ID {
	if len(path) == 0 {
		return 0
	}
	return trace.ID(path[0])
}

// Script is a schedule in a form that is independent of the process.
type Script struct {
	Hash   uint32
	Time   sched.TimeMode
	Lag    time.Duration // 0 without TimeLag
	Seed   uint64        // of random numbers
	Start  time.Time     // of the clock, zero for exec.DefaultStart
	Awaits bool          // exec.Options.Awaits, where it makes a difference
	Keyed  bool          // exec.Options.Keyed, where it makes a difference
	Model  sched.Model   // of sched.ModelLock and sched.ModelStream, what is explored
	Pools  bool          // exec.Options.OwnPools, where it makes a difference
	Plan   string        // of faults, as exec.Options has it
	Moves  []Move
}

// Set gives o what executions need to go as the script says.
func (s *Script) Set(o *exec.Options) {
	o.Time, o.Seed, o.Start = s.Time, s.Seed, s.Start
	if s.Lag > 0 {
		o.Lag = s.Lag
	}
	o.Awaits, o.Keyed = s.Awaits, s.Keyed
	o.Model |= s.Model
	o.OwnPools, o.Plan = s.Pools, s.Plan
	o.Alike = false // which leaves orders out, and adds none
}

// Move is one event of a script.
type Move struct {
	Path []int32
	Alt  int32
	Kind trace.Kind // OpNone if it is unknown
}

// New returns the script of a schedule with the given kinds of operations. hash is the hash of
// the name of the Check.
func New(hash uint32, n Paths, schedule trace.Schedule, kinds []trace.Kind) Script {
	s := Script{Hash: hash, Moves: make([]Move, len(schedule))}
	paths := make(map[trace.ID][]int32)
	for i, c := range schedule {
		path, ok := paths[c.G]
		if !ok {
			path = n.Path(c.G)
			paths[c.G] = path
		}
		s.Moves[i] = Move{path, c.Alt, kinds[i]}
	}
	return s
}

// Schedule returns the script as a schedule of a program with the paths n.
func (s Script) Schedule(n Paths) trace.Schedule {
	out := make(trace.Schedule, len(s.Moves))
	for i, m := range s.Moves {
		if i > 0 && slices.Equal(m.Path, s.Moves[i-1].Path) {
			out[i] = trace.Choice{G: out[i-1].G, Alt: m.Alt}
		} else {
			out[i] = trace.Choice{G: n.Lookup(m.Path), Alt: m.Alt}
		}
	}
	return out
}

// Hash returns the hash that identifies a program in replay strings.
func Hash(name string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, name)
	return h.Sum32()
}

// Encode returns the replay string of s.
func (s Script) Encode() string {
	body := s.body()
	flags := byte(0)
	if s.clock() != 0 {
		flags = flagClock
	}
	if s.Seed != 0 {
		flags |= flagSeed
	}
	if s.Awaits {
		flags |= flagAwaits
	}
	if s.Keyed {
		flags |= flagKeyed
	}
	if s.Model&sched.ModelLock != 0 {
		flags |= flagLocks
	}
	if s.Model&sched.ModelStream != 0 {
		flags |= flagStream
	}
	if !s.Start.IsZero() {
		flags |= flagStart
	}
	var z bytes.Buffer
	w, _ := flate.NewWriter(&z, flate.BestCompression) // the level is valid
	w.Write(body)                                      // Buffer.Write never fails
	w.Close()
	if z.Len() < len(body) {
		flags, body = flags|flagDeflated, z.Bytes()
	}
	b := binary.BigEndian.AppendUint32(nil, s.Hash)
	b = append(b, flags)
	b = append(b, body...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	version := Version
	if s.Plan != "" {
		version = faulty
	}
	return version + base64.RawURLEncoding.EncodeToString(b)
}

// clock returns the byte that says how time passes, and which Pools there are.
func (s Script) clock() byte {
	if s.Pools {
		return byte(s.Time) + clockPools
	}
	return byte(s.Time)
}

// pathKey returns a path as a map key. Paths may be long, as in a chain of timers that start
// each other.
func pathKey(path []int32) string {
	b := make([]byte, 0, 4*len(path))
	for _, x := range path {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return string(b)
}

func (s Script) body() []byte {
	var names []byte
	places := make(map[string]uint64)
	var stretches, alts, kinds []byte
	var nstretches, nalts uint64
	since := uint64(0)
	for i, m := range s.Moves {
		if i == 0 || !slices.Equal(m.Path, s.Moves[i-1].Path) {
			end := i + 1
			for end < len(s.Moves) && slices.Equal(s.Moves[end].Path, m.Path) {
				end++
			}
			key := pathKey(m.Path)
			if _, ok := places[key]; !ok {
				places[key] = uint64(len(places))
				names = binary.AppendUvarint(names, uint64(len(m.Path)))
				for _, x := range m.Path {
					names = binary.AppendVarint(names, int64(x))
				}
			}
			stretches = binary.AppendUvarint(stretches, places[key])
			stretches = binary.AppendUvarint(stretches, uint64(end-i))
			nstretches++
		}
		if m.Alt != 0 {
			alts = binary.AppendUvarint(alts, since)
			alts = binary.AppendUvarint(alts, uint64(m.Alt))
			nalts++
			since = 0
		}
		since++
		kinds = append(kinds, byte(m.Kind))
	}
	var b []byte
	if s.Plan != "" {
		b = binary.AppendUvarint(b, uint64(len(s.Plan)))
		b = append(b, s.Plan...)
	}
	if clock := s.clock(); clock != 0 {
		b = binary.AppendUvarint(append(b, clock), uint64(s.Lag))
	}
	if s.Seed != 0 {
		b = binary.AppendUvarint(b, s.Seed)
	}
	if !s.Start.IsZero() {
		b = binary.AppendUvarint(b, uint64(s.Start.Sub(FirstStart)))
	}
	b = binary.AppendUvarint(b, uint64(len(places)))
	b = append(b, names...)
	b = binary.AppendUvarint(b, nstretches)
	b = append(b, stretches...)
	b = binary.AppendUvarint(b, nalts)
	b = append(b, alts...)
	b = append(b, kindsPrint())
	return append(b, kinds...)
}

// kindsPrint returns a fingerprint of the numbering of operations.
func kindsPrint() byte {
	h := fnv.New32a()
	for k := trace.Kind(0); ; k++ {
		name := k.String()
		if strings.HasPrefix(name, "kind(") {
			return byte(h.Sum32())
		}
		io.WriteString(h, name+" ")
	}
}

// Decode returns the script of a replay string. The error says in which way the string is
// damaged.
func Decode(text string) (Script, error) {
	text = strings.TrimSpace(text)
	raw, ok := strings.CutPrefix(text, Version)
	hasPlan := !ok && strings.HasPrefix(text, faulty)
	if hasPlan {
		raw, ok = strings.CutPrefix(text, faulty)
	}
	if !ok {
		return Script{}, damaged(fmt.Errorf("it does not begin with %q, so it is not a schedule, or one of another version of por", Version))
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(raw)
	if err != nil {
		return Script{}, damaged(fmt.Errorf("a character that cannot be in it: %w", err))
	}
	if len(b) < 9 {
		return Script{}, damaged(fmt.Errorf("only %d bytes are left of it", len(b)))
	}
	b, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if got := crc32.ChecksumIEEE(b); got != sum {
		return Script{}, damaged(fmt.Errorf("checksum %08x, want %08x", got, sum))
	}
	s := Script{Hash: binary.BigEndian.Uint32(b)}
	flags, body := b[4], b[5:]
	if flags&flagDeflated != 0 {
		body, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(body)), 4*maxEvents))
		if err != nil {
			return Script{}, damaged(err)
		}
	}
	if flags&flagLocks != 0 {
		s.Model |= sched.ModelLock
	}
	if flags&flagStream != 0 {
		s.Model |= sched.ModelStream
	}
	s.Awaits, s.Keyed = flags&flagAwaits != 0, flags&flagKeyed != 0
	d := decoder{rest: body}
	if hasPlan {
		s.Plan = d.plan()
	}
	if flags&flagClock != 0 {
		clock := d.uvarint(int(sched.TimeLag) + clockPools)
		if s.Pools = clock >= clockPools; s.Pools {
			clock -= clockPools
		}
		if s.Time, s.Lag = sched.TimeMode(clock), d.duration(); s.Time > sched.TimeLag {
			d.fail(true)
		}
	}
	if flags&flagSeed != 0 {
		s.Seed = d.seed()
	}
	if flags&flagStart != 0 {
		s.Start = FirstStart.Add(d.duration())
	}
	s.Moves = d.moves()
	if d.err != nil {
		return Script{}, damaged(d.err)
	}
	return s, nil
}

func damaged(err error) error {
	return fmt.Errorf("damaged: %w; copy the whole string from the failure report", err)
}

// decoder reads the body of a replay string. After an error it reads zeros.
type decoder struct {
	rest []byte
	err  error
}

var errTruncated = errors.New("it ends too early")

func (d *decoder) uvarint(max int) int {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 || x > uint64(max) {
		d.fail(n > 0)
		return 0
	}
	d.rest = d.rest[n:]
	return int(x)
}

// duration reads a duration in nanoseconds, which may be larger than an int.
func (d *decoder) duration() time.Duration {
	x := d.seed()
	if x > math.MaxInt64 {
		d.fail(true)
		return 0
	}
	return time.Duration(x)
}

// plan reads a plan of faults.
func (d *decoder) plan() string {
	n := d.uvarint(len(d.rest))
	text := string(d.rest[:n])
	d.rest = d.rest[n:]
	p, err := faults.Parse(text)
	if d.err == nil && (err != nil || len(p) == 0) {
		d.err = cmp.Or(err, errors.New("it has an empty plan of faults"))
		d.rest = nil
	}
	return p.String()
}

// seed reads any number.
func (d *decoder) seed() uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail(n < 0)
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

func (d *decoder) varint() int32 {
	x, n := binary.Varint(d.rest)
	if n <= 0 || int64(int32(x)) != x {
		d.fail(n > 0)
		return 0
	}
	d.rest = d.rest[n:]
	return int32(x)
}

func (d *decoder) fail(large bool) {
	if d.err == nil {
		d.err = errTruncated
		if large {
			d.err = errors.New("a number in it is too large")
		}
	}
	d.rest = nil
}

func (d *decoder) moves() []Move {
	names := make([][]int32, d.uvarint(len(d.rest)))
	for i := range names {
		names[i] = make([]int32, d.uvarint(len(d.rest)))
		for j := range names[i] {
			names[i][j] = d.varint()
		}
	}
	var moves []Move
	for n := d.uvarint(maxEvents); n > 0 && d.err == nil; n-- {
		place, events := d.uvarint(max(len(names)-1, 0)), d.uvarint(maxEvents)
		if d.err != nil || len(names) == 0 || events > len(d.rest) {
			d.fail(false)
			return nil
		}
		for range events {
			moves = append(moves, Move{Path: names[place]})
		}
	}
	at := 0
	for n := d.uvarint(len(moves)); n > 0 && d.err == nil; n-- {
		at += d.uvarint(len(moves))
		alt := d.uvarint(1<<31 - 1)
		if at >= len(moves) {
			d.fail(true)
			return nil
		}
		moves[at].Alt = int32(alt)
	}
	if d.err == nil && len(d.rest) != len(moves)+1 {
		d.err = fmt.Errorf("%d events, but %d operations", len(moves), len(d.rest)-1)
	}
	if d.err != nil {
		return nil
	}
	if d.rest[0] == kindsPrint() {
		for i, k := range d.rest[1:] {
			moves[i].Kind = trace.Kind(k)
		}
	}
	return moves
}
