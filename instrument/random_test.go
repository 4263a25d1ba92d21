package instrument

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// randomPrograms is how many random programs are tried; GOPOR_PROGRAMS sets
// another number, and GOPOR_SEED the seed.
const randomPrograms = 20

// randomHead has what random programs use. Calls leave a trace, with the lines where
// they are made; change changes variables: the language leaves open whether these are
// read before or after a call of the same statement, and rewritten code has to do what
// the compiler does.
const randomHead = `package behaviour

import (
	"fmt"
	"runtime"
)

func randLine() int {
	_, _, line, _ := runtime.Caller(2)
	return line
}

type randT struct {
	n    int
	s    []int
	m    map[int]int
	next *randT
	arr  [3]int
}

func (t *randT) get(say Say) *randT { say("get", randLine()); return t }
func (t randT) sum() int { return t.n + len(t.s) + t.arr[1] }

func randInt(say Say, n int) int          { say("int", n, randLine()); return n }
func randPair(say Say, n int) (int, bool) { say("pair", n, randLine()); return n, n%2 == 0 }
func randSum(list []int) (n int) {
	for i, v := range list {
		n += v << i
	}
	return n
}
func randTrue(list ...any) int { return len(fmt.Sprint(list...)) }
func randSeq(say Say, n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				say("stopped")
				return
			}
		}
	}
}
func randChan(n int) chan int {
	c := make(chan int, n+1)
	for i := range n {
		c <- i
	}
	close(c)
	return c
}
`

// randomFrame goes around the statements of a program. Its variables are shared
// as far as the analysis knows.
const randomFrame = `func RunRandom%d(say Say) {
	a, b, ok := 1, 2, false
	s, m, arr := []int{5, 6, 7}, map[int]int{0: 3, 1: 4}, [3]int{7, 8, 9}
	var none map[int]int
	p := &randT{n: 1, s: []int{1, 2, 3}, m: map[int]int{2: 5}, next: &randT{s: []int{4}, m: map[int]int{}}}
	p.next.next = p
	t := randT{s: s[:2], m: m}
	keep(func() { a, b, ok, s, m, arr, none, p, t = 0, 0, false, nil, nil, [3]int{}, nil, nil, randT{} })
	change := func(n int) int {
		say("change", n, a, b, randLine())
		a, b, ok = b+1, a+n, !ok
		t.n, t.arr[2], arr[1], m[a&3] = n, b, arr[1]+n, b
		if p != nil && p.m != nil {
			p.n, p.arr[0], p.m[2] = a, n, n
		}
		if n&1 == 1 {
			s = append([]int{n}, s...)
		}
		return n & 3
	}
	_ = change
	defer func() {
		r := recover()
		if err, isError := r.(error); isError {
			r = err.Error()
		}
		say(r, a, b, ok, s, m, arr, none, t.n, t.s, t.arr, p.n, p.s, p.m, p.arr, p.next.n, p.next.s, p.next.m)
	}()
%s}

`

// random writes a random program. It breaks lines at random.
type random struct {
	*rand.Rand
	text   strings.Builder
	indent int
	labels int
	calls  int
	loops  []string // labels of the loops around, "" for those without
	plain  bool     // values change nothing
	narrow bool     // there is no room to evaluate anything first
}

func (r *random) line(format string, args ...any) {
	r.text.WriteString(strings.Repeat("\t", r.indent))
	for _, c := range fmt.Sprintf(format+"\n", args...) {
		r.text.WriteRune(c)
		if (c == '(' || c == ',') && r.IntN(20) == 0 {
			r.text.WriteByte('\n')
		}
	}
}

func (r *random) pick(list ...string) string {
	s := list[r.IntN(len(list))]
	for strings.Contains(s, "INT") {
		s = strings.Replace(s, "INT", r.value(), 1)
	}
	return s
}

// value returns an expression of type int that does not panic.
func (r *random) value() string {
	if !r.plain && r.IntN(4) == 0 {
		return r.changing()
	}
	r.calls++
	i := r.IntN(27)
	if r.narrow {
		i = r.IntN(25) // the others are found by calls, and read as soon as these are made
	}
	return [...]string{
		"a", "b", "t.n", "p.n", "p.next.n", "arr[1]", "t.arr[2]", "p.arr[0]", "m[a]", "p.m[2]", "none[1]", "t.sum()", "p.sum()",
		"len(s)", "len(p.m)", "cap(arr[:2])", "a + b", "-p.n", "a*3", "len(append(t.s[:1:1], a))",
		"7", "int(1) << 3", "<-randChan(2)",
		"randInt(say, " + strconv.Itoa(r.calls) + ")", "randInt(say, a)", "p.get(say).n", "m[randInt(say, 1)]",
	}[i]
}

// narrowly is value of what leaves no room to evaluate calls first.
func (r *random) narrowly() string {
	narrow := r.narrow
	r.narrow = true
	defer func() { r.narrow = narrow }()
	return r.value()
}

// changing returns an expression with a call that changes variables which are read
// in it.
func (r *random) changing() string {
	plain, narrow, form := r.plain, r.narrow, r.IntN(14)
	r.plain, r.narrow = r.IntN(3) > 0, narrow || form < 4
	defer func() { r.plain, r.narrow = plain, narrow }()
	call := "change(" + strconv.Itoa(r.IntN(8)) + ")"
	x, y := r.value(), r.value()
	switch form {
	case 0:
		return "randTrue(ok && " + x + " > 1, " + call + ", ok)"
	case 1:
		return "randTrue(ok && " + x + " > " + call + "-(" + y + "), ok)"
	case 2:
		return "randTrue(!ok || randInt(say, " + x + "&" + call + ") == " + y + ", " + x + ")"
	case 3:
		return "randTrue(ok || " + x + " > 0 && " + y + " > " + call + ", " + y + ")"
	case 4:
		return x + " + " + call
	case 5:
		return call + " - (" + x + ")*(" + y + ")"
	case 6:
		return "(" + x + ")*(" + call + " + " + y + ")"
	case 7:
		return "randInt(say, " + x + " + " + call + ") + " + y
	case 8:
		return "(randT{n: " + x + ", arr: [3]int{" + y + ", " + call + "}}).sum()"
	case 9:
		return "len(s) + " + call + " + " + x
	case 10:
		return "max(" + x + ", 3) + " + call
	case 11:
		return "randSum(([]int{" + x + ", " + call + ", " + y + "}))"
	case 12:
		return "len(fmt.Sprint(" + x + ", " + call + ", ok, " + y + "))"
	}
	return "any(" + x + ").(int) - " + call + "*len(s[:1])"
}

// place returns an expression of type int that can be assigned to; now and then
// that panics.
func (r *random) place() string {
	if r.IntN(40) == 0 {
		return r.pick("s[a+20]", "none[a]", "p.next.next.next.s[9]", "p.next.s[1+randInt(say, 4)]", "(*randT)(nil).n")
	}
	return r.pick("a", "b", "s[0]", "s[len(s)-1]", "m[a]", "m[randInt(say, 3)]", "arr[2]", "arr[randInt(say, 1)]", "t.n", "t.arr[1]",
		"t.m[INT]", "p.n", "p.arr[1]", "p.s[0]", "p.m[b]", "p.get(say).n", "p.get(say).s[randInt(say, 0)]", "p.next.n", "(*p).n", "(p.next.arr)[2]")
}

func (r *random) block(depth int) {
	r.indent++
	for range 1 + r.IntN(4) {
		r.statement(depth)
	}
	r.indent--
}

func (r *random) statement(depth int) {
	if depth > 0 && r.IntN(3) == 0 {
		r.compound(depth - 1)
		return
	}
	op := r.pick("+", "-", "*", "|", "&^", "^")
	switch r.IntN(16) {
	case 0, 1:
		r.line("%s = %s", r.place(), r.value())
	case 2:
		r.line("%s %s= %s", r.place(), op, r.value())
	case 3:
		r.line("%s%s", r.place(), r.pick("++", "--"))
	case 4:
		r.line("%s, %s = %s, %s", r.place(), r.place(), r.value(), r.value())
	case 5:
		r.line("%s, ok = %s", r.place(), r.pick("m[INT]", "<-randChan(1)", "any(a).(int)", "randPair(say, 4)", "<-randChan(0)"))
	case 6:
		list := r.pick("s", "p.s", "t.s", "p.next.s")
		r.line("%s = append(%s, %s)", r.pick(list, "s", "p.s"), list, r.pick("INT", "INT, INT", "s...", "p.s...", "s[:1]..."))
	case 7:
		r.line("%s", r.pick("copy(s, p.s)", "a = copy(p.s, s[1:])", "delete(m, INT)", "delete(p.m, 2)", "clear(p.next.m)", "copy(t.arr[:], arr[1:])"))
	case 8:
		r.line("t, arr = *p, p.arr")
	case 9:
		r.line("%s", r.pick("p, p.n = p.next, INT", "a, b = b, a", "s, s[0] = p.s, INT", "a, s[a&1] = 1, INT", "*p, p = *p.next, p.next"))
	case 10:
		r.line("{ x, ok := %s; say(x, ok) }", r.pick("m[INT]", "randPair(say, INT)", "<-randChan(1)"))
	case 11:
		r.line("func() { defer %s }()", r.pick("say(INT)", "delete(m, INT)", "func(n int) { a = n }(INT)", "clear(p.m)", "copy(s, p.s)"))
	case 12:
		r.line("say(%s, %s)", r.value(), r.value())
	case 13:
		r.line("c%d := make(chan int, 2); c%d <- %s; %s = <-c%d", r.calls, r.calls, r.value(), r.place(), r.calls)
		r.calls++
	case 14:
		r.line("func() { done := make(chan bool); go func(x, y int) { say(x, y); done <- true }(%s, %s); <-done }()", r.value(), r.value())
	case 15:
		r.labels++
		r.line("l%d: switch %s { case %s, %s: break l%d; default: a++ }", r.labels, r.narrowly(), r.narrowly(), r.narrowly(), r.labels)
	}
	r.jump()
}

// jump leaves a loop, now and then.
func (r *random) jump() {
	if len(r.loops) == 0 || r.IntN(8) > 0 {
		return
	}
	label := r.loops[r.IntN(len(r.loops))]
	if label == "" {
		r.line("if a%%2 == 0 { %s }", r.pick("break", "continue"))
		return
	}
	r.line("if a%%2 == 0 { %s %s }", r.pick("break", "continue"), label)
}

func (r *random) compound(depth int) {
	switch r.IntN(6) {
	case 0:
		r.line("if %s = %s; a < %s {", r.place(), r.value(), r.value())
		r.block(depth)
		r.line("} else if x, ok := m[%s]; ok {", r.value())
		r.line("\tsay(x)")
		r.block(depth)
		r.line("}")
	case 1:
		r.line("switch %s, b = %s, %s; {", r.place(), r.value(), r.value())
		r.line("case a > %s:", r.narrowly())
		r.block(depth)
		r.line("default:")
		r.block(depth)
		r.line("}")
	case 2:
		r.choose(depth)
	default:
		r.loop(depth)
	}
}

func (r *random) choose(depth int) {
	loops := r.loops
	r.loops = nil
	for _, label := range loops {
		if label != "" { // a break without one would leave the select
			r.loops = append(r.loops, label)
		}
	}
	r.line("select {")
	switch r.IntN(3) {
	case 0:
		r.line("case %s = <-randChan(%d):", r.place(), r.IntN(2))
	case 1:
		r.line("case %s, ok = <-randChan(randInt(say, %d)):", r.place(), r.IntN(2))
	case 2:
		r.line("case make(chan int, 1) <- %s:", r.narrowly())
	}
	r.block(depth)
	if r.IntN(2) == 0 {
		r.line("case (chan int)(nil) <- %s:", r.narrowly())
	}
	r.line("}")
	r.loops = loops
}

func (r *random) loop(depth int) {
	label := ""
	if r.IntN(2) == 0 {
		r.labels++
		label = "l" + strconv.Itoa(r.labels)
		r.line("%s:", label)
	}
	v := r.pick("x", "x", "a", "p.arr[1]", "m[7]")
	define := "="
	if v == "x" {
		define = ":="
	}
	switch r.IntN(9) {
	case 0:
		r.line("for %s %s range s {", v, define)
	case 1:
		r.line("for _, %s %s range p.s {", v, define)
	case 2:
		r.line("for %s %s range map[int]int{4: 5} {", v, define)
	case 3:
		r.line("for %s %s range randChan(2) {", v, define)
	case 4:
		r.line("for %s %s range randSeq(say, 3) {", v, define)
	case 5:
		r.line("for %s %s range %d {", v, define, 1+r.IntN(3))
	case 6:
		r.line("for _, %s %s range arr {", v, define)
	case 7:
		r.line("for %s %s range (%s) & 3 {", v, define, r.narrowly())
	case 8:
		v, define = "x", ":="
		r.line("for x := (%s) & 1; x < 2 && %s != %s; x++ {", r.narrowly(), r.narrowly(), r.narrowly())
	}
	r.line("\tsay(%q, %s)", v, v)
	if label != "" {
		r.line("\tif a > 1000 { break %s }", label)
	}
	if v == "x" && r.IntN(2) == 0 {
		r.line("\tdefer func() { x++; say(x) }()")
	}
	r.loops = append(r.loops, label)
	r.block(depth)
	r.loops = r.loops[:len(r.loops)-1]
	r.line("}")
}

// randomSettings returns how many random programs there are to be, and the seed.
func randomSettings(t *testing.T, programs int) (n int, seed uint64) {
	n, seed = programs, effort.Seed(t, 1)
	if v, err := strconv.Atoi(os.Getenv("GOPOR_PROGRAMS")); err == nil {
		n = v
	}
	t.Logf("%d random programs", n)
	return n, seed
}

// randomSource returns a file of random programs.
func randomSource(t *testing.T) []byte {
	n, seed := randomSettings(t, randomPrograms)
	var b strings.Builder
	b.WriteString(randomHead)
	for i := range n {
		r := &random{Rand: rand.New(rand.NewPCG(seed, uint64(i))), indent: 1}
		for range 4 + r.IntN(5) {
			r.statement(2)
		}
		fmt.Fprintf(&b, randomFrame, i, r.text.String())
	}
	return []byte(b.String())
}
