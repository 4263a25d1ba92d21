package picture

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

var update = flag.Bool("update", false, "write the drawings in testdata")

// pictured returns the picture of p.
func pictured(t *testing.T, p trace.Program) *Picture {
	t.Helper()
	u, err := unfold.Unfold(p, 2000)
	if err != nil {
		t.Fatal(err)
	}
	return &Picture{Unfolding: u}
}

// choosing is a program with a choice.
func choosing() {
	var x sched.Var[int]
	sched.Go(func() { x.Store(sched.Choose(2)) })
	sched.Go(func() { x.Load() })
}

// TestDOT compares drawings with those in testdata. They were read, and compared with
// the programs, when they were written.
func TestDOT(t *testing.T) {
	for _, k := range []struct {
		name      string
		p         *exec.Closure
		highlight int
	}{
		{"figure2", toytest.Recording(toytest.FigureTwo), 0},
		{"ssb", toytest.Published(t, "ssb", 2, 0), 0},
		{"abba", toytest.Published(t, "abba", 0, 0), 2},
		{"choice", toytest.Recording(choosing), 0},
		{"channel", toytest.Published(t, "pipeline", 1, 1), 0},
		{"select", toytest.Published(t, "select-two", 0, 0), 0},
		{"unrecorded", exec.New(choosing, exec.Options{Races: sched.RaceExplore}), 0},
	} {
		p := pictured(t, k.p)
		p.Title, p.Highlight = k.name, k.highlight
		// Lines of code move.
		for i := range p.Events {
			if p.Events[i].Where != "" {
				p.Events[i].Where = "file.go:1"
			}
		}
		var b bytes.Buffer
		if err := p.WriteDOT(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", k.name+".dot")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != string(want) {
			t.Errorf("%s is not as in %s (-want +got):\n%s", k.name, file, cmp.Diff(string(want), got))
		}
		k.p.Shutdown()
	}
}

// element is an element of XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Elements []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) number(name string) int {
	n, err := strconv.Atoi(e.attr(name))
	if err != nil {
		return -1 << 30
	}
	return n
}

// text returns all text of e and in e, in order of nesting.
func (e *element) text() string {
	text := e.Text
	for i := range e.Elements {
		text += e.Elements[i].text()
	}
	return text
}

// box is the rectangle of an event.
type box struct{ left, top, right, bottom int }

func (b box) holds(x, y float64) bool {
	return x > float64(b.left) && x < float64(b.right) && y > float64(b.top) && y < float64(b.bottom)
}

// drawn is what a drawing shows.
type drawn struct {
	root   element
	events map[string]box // by id
	class  map[string]string
	labels map[string]string
	lines  map[string][]string // paths by the first word of their class
	width  int
	height int
}

// read reads an SVG drawing. It has to be XML, as a whole.
func read(text []byte) (*drawn, error) {
	d := &drawn{events: make(map[string]box), class: make(map[string]string), labels: make(map[string]string), lines: make(map[string][]string)}
	dec := xml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&d.root); err != nil {
		return nil, err
	}
	if token, err := dec.Token(); err != io.EOF && strings.TrimSpace(fmt.Sprint(token)) != "[10]" {
		return nil, fmt.Errorf("more XML after the end: %v, %v", token, err)
	}
	if d.root.XMLName.Local != "svg" || d.root.XMLName.Space != "http://www.w3.org/2000/svg" {
		return nil, fmt.Errorf("this is no SVG, but %v", d.root.XMLName)
	}
	d.width, d.height = d.root.number("width"), d.root.number("height")
	for i := range d.root.Elements {
		e := &d.root.Elements[i]
		class, _, _ := strings.Cut(e.attr("class"), " ")
		switch {
		case class == "event":
			r := e.Elements[1]
			b := box{r.number("x"), r.number("y"), r.number("x") + r.number("width"), r.number("y") + r.number("height")}
			d.events[e.attr("id")], d.class[e.attr("id")] = b, e.attr("class")
			d.labels[e.attr("id")] = e.Elements[0].text()
		case e.XMLName.Local == "path":
			d.lines[class] = append(d.lines[class], e.attr("d"))
		}
	}
	return d, nil
}

// check sees to it that events and lines do not get in the way of each other.
func (d *drawn) check(p *Picture) error {
	if len(d.events) != len(p.Events) {
		return fmt.Errorf("%d events are drawn, want %d", len(d.events), len(p.Events))
	}
	causes, legend := 0, 1
	for _, e := range p.Events {
		causes += len(e.Causes)
	}
	if n := len(d.lines["cause"]); n != causes+legend {
		return fmt.Errorf("%d arrows, want %d and one in the legend", n, causes)
	}
	if n := len(d.lines["conflict"]); n != len(p.Conflicts)+min(legend, len(p.Conflicts)) {
		return fmt.Errorf("%d lines for conflicts, want %d and one in the legend", n, len(p.Conflicts))
	}
	for id, b := range d.events {
		if b.left < margin || b.top < margin || b.right > d.width-margin || b.bottom > d.height-margin {
			return fmt.Errorf("%s at %v is not within the drawing, %d by %d", id, b, d.width, d.height)
		}
		for other, o := range d.events {
			if id != other && b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom {
				return fmt.Errorf("%s at %v meets %s at %v", id, b, other, o)
			}
		}
	}
	for i, e := range p.Events {
		for _, c := range e.Causes {
			if below, above := d.events["e"+numberOf(i)], d.events["e"+numberOf(c)]; below.top <= above.bottom {
				return fmt.Errorf("event %d is not below its cause %d", i+1, c+1)
			}
		}
	}
	for class, paths := range d.lines {
		for _, path := range paths {
			points, err := follow(path)
			if err != nil {
				return fmt.Errorf("%s: %v", path, err)
			}
			for _, at := range points {
				for id, b := range d.events {
					if b.holds(at[0], at[1]) {
						return fmt.Errorf("the %s %s goes through %s at %v", class, path, id, b)
					}
				}
			}
		}
	}
	return nil
}

var numbers = regexp.MustCompile(`[MLQC]|-?\d+`)

// follow returns points on a path that lines and curves make.
func follow(path string) (points [][2]float64, err error) {
	words := numbers.FindAllString(path, -1)
	pair := func() (p [2]float64) {
		for i := range p {
			if len(words) == 0 {
				err = fmt.Errorf("the path ends too early")
				return p
			}
			if p[i], err = strconv.ParseFloat(words[0], 64); err != nil {
				return p
			}
			words = words[1:]
		}
		return p
	}
	var at [2]float64
	for len(words) > 0 && err == nil {
		command := words[0]
		words = words[1:]
		from := at
		a, b, to := from, from, from
		switch command {
		case "M":
			at = pair()
			continue
		case "L":
			to = pair()
			a, b = from, to
		case "Q":
			middle, end := pair(), pair()
			to = end
			for i := range to { // as a cubic curve
				a[i], b[i] = from[i]+(middle[i]-from[i])*2/3, to[i]+(middle[i]-to[i])*2/3
			}
		case "C":
			a, b, to = pair(), pair(), pair()
		default:
			return nil, fmt.Errorf("no command, but %q", command)
		}
		const steps = 40
		for n := range steps + 1 {
			t := float64(n) / steps
			u := 1 - t
			var p [2]float64
			for i := range p {
				p[i] = u*u*u*from[i] + 3*u*u*t*a[i] + 3*u*t*t*b[i] + t*t*t*to[i]
			}
			points = append(points, p)
		}
		at = to
	}
	return points, err
}

// redraw draws p and checks the drawing.
func redraw(p *Picture) (*drawn, error) {
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		return nil, err
	}
	d, err := read(b.Bytes())
	if err == nil {
		err = d.check(p)
	}
	return d, err
}

// checkLines sees to it that the lines of a goroutine go straight down where they can,
// and that no line lies upon another one.
func checkLines(l *layout) error {
	follows := make(map[int]int) // how many events follow an event in its column
	type gap struct{ row, track int }
	type lane struct{ gutter, lane, row int }
	tracks, lanes := make(map[gap][]turn), make(map[lane]bool)
	own := make(map[int]bool)
	for i := range l.routes {
		r := &l.routes[i]
		if !r.conflict && l.before[r.to] == r.from {
			own[r.from] = true
			if l.column[r.from] == l.column[r.to] {
				follows[r.from]++
				points, err := follow(l.path(r))
				if err != nil {
					return err
				}
				for _, p := range points {
					if math.Abs(p[0]-points[0][0]) > 0.01 {
						return fmt.Errorf("the line from event %d to event %d is not straight", r.from+1, r.to+1)
					}
				}
			}
		}
		for n, t := range r.turns {
			g := gap{l.row[r.from], t.track}
			if n > 0 {
				g.row = l.row[r.to] - 1
			}
			if t.track < 0 {
				continue
			}
			for _, u := range tracks[g] {
				if t.from != u.from && min(t.from, t.to) <= max(u.from, u.to) && min(u.from, u.to) <= max(t.from, t.to) {
					return fmt.Errorf("the line from event %d to event %d meets another one on track %v", r.from+1, r.to+1, g)
				}
			}
			tracks[g] = append(tracks[g], t)
		}
		for row := l.row[r.from] + 1; r.gutter >= 0 && row < l.row[r.to]; row++ {
			at := lane{r.gutter, r.lane, row}
			if lanes[at] {
				return fmt.Errorf("the line from event %d to event %d meets another one in lane %v", r.from+1, r.to+1, at)
			}
			lanes[at] = true
		}
	}
	for e := range own {
		if follows[e] > 1 {
			return fmt.Errorf("%d events follow event %d in its column", follows[e], e+1)
		}
	}
	return nil
}

func TestSVG(t *testing.T) {
	straight, all := 0, 0
	for _, k := range []struct {
		name string
		n, m int
	}{
		{"abba", 0, 0}, {"ssb", 3, 0}, {"locks", 2, 2}, {"mpat", 2, 0}, {"pipeline", 2, 2}, {"select-two", 0, 0},
		{"disp", 2, 1}, {"pi", 3, 0}, {"ring", 4, 0}, {"readers", 3, 1}, {"ssb-locks", 3, 0}, {"branching", 4, 0},
	} {
		p := pictured(t, toytest.Published(t, k.name, k.n, k.m))
		if _, err := redraw(p); err != nil {
			t.Errorf("%s(%d, %d): %v", k.name, k.n, k.m, err)
		}
		l := newLayout(p)
		if err := checkLines(l); err != nil {
			t.Errorf("%s(%d, %d): %v", k.name, k.n, k.m, err)
		}
		for _, r := range l.routes {
			if !r.conflict && l.before[r.to] == r.from {
				all++
				if l.column[r.from] == l.column[r.to] {
					straight++
				}
			}
		}
	}
	if 10*straight < 7*all {
		t.Errorf("%d of %d lines of goroutines are straight", straight, all)
	}
}

func TestSVGOfToys(t *testing.T) {
	n := int64(100)
	if !effort.Full() {
		n = 20
	}
	for i, p := range toytest.Programs(t, n) {
		u, err := unfold.Unfold(toy.New(p), DefaultEvents)
		if err != nil {
			continue // too large
		}
		pic := &Picture{Unfolding: u}
		_, err = redraw(pic)
		if err == nil {
			err = checkLines(newLayout(pic))
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
	}
}

// TestHighlight sees to it that a configuration that is asked for, and no other, can
// be told from the rest.
func TestHighlight(t *testing.T) {
	p := pictured(t, toytest.Published(t, "abba", 0, 0))
	for n := 1; n <= len(p.Maximal); n++ {
		p.Highlight = n
		d, err := redraw(p)
		if err != nil {
			t.Fatal(err)
		}
		shown := make(map[string]bool)
		for _, e := range p.Maximal[n-1].Events {
			shown["e"+numberOf(e)] = true
		}
		for id, class := range d.class {
			want := "event out"
			if shown[id] {
				want = "event in"
			}
			if class != want {
				t.Errorf("configuration %d: %s has class %q, want %q", n, id, class, want)
			}
		}
		if text := fmt.Sprintf("configuration %d of 3", n); !strings.Contains(d.root.text(), text) {
			t.Errorf("%q is not said", text)
		}
		if strings.Contains(d.root.text(), "deadlock") != (len(p.Maximal[n-1].Failures) > 0) {
			t.Errorf("configuration %d fails or not, and that is not said", n)
		}
	}
	for _, n := range []int{-1, len(p.Maximal) + 1} {
		p.Highlight = n
		var b bytes.Buffer
		if err, other := p.WriteSVG(&b), p.WriteDOT(&b); err == nil || other == nil || b.Len() > 0 {
			t.Errorf("Highlight %d: errors %v and %v", n, err, other)
		}
	}
}

// TestEscapes draws texts that mean something to XML or to DOT.
func TestEscapes(t *testing.T) {
	const nasty = "</text>&\"'\\\n\x01<![CDATA["
	p := pictured(t, toytest.Recording(func() {
		var x sched.Var[string]
		x.Store(nasty)
	}))
	if want := "write Var 1 = " + nasty; p.Events[0].Label != want {
		t.Fatalf("label %q, want %q", p.Events[0].Label, want)
	}
	if want := "picture_test.go:"; !strings.HasPrefix(p.Events[0].Where, want) {
		t.Errorf("position %q, want %s...", p.Events[0].Where, want)
	}
	p.Title, p.Threads[0] = "a <b> & \"c\"", "<main>"
	d, err := redraw(p)
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.ReplaceAll(nasty, "\x01", "\ufffd")
	for _, want := range []string{p.Title + ": 1 event, 1 maximal configuration", p.Threads[0], "write Var 1 = " + shown} {
		if !strings.Contains(d.root.text(), want) {
			t.Errorf("%q is not in the drawing: %q", want, d.root.text())
		}
	}
	var b bytes.Buffer
	if err := p.WriteDOT(&b); err != nil {
		t.Fatal(err)
	}
	if want := `label="1  write Var 1 = </text>&\"'\\` + "\\n" + "\ufffd" + `<![CDATA["`; !strings.Contains(b.String(), want) {
		t.Errorf("%s is not in the drawing:\n%s", want, b.String())
	}
}
