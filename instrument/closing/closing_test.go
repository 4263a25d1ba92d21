package closing_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/gopor/gopor/instrument/closing"
)

// source has a function a row. A comment after a make expression says what becomes of its channel.
const source = `package p

import "fmt"

type server struct {
	done, sent chan int
	Open       chan int
	seen       <-chan int
	all        []chan int
}

type pair[T any] struct{ left, right chan T }

var shut, spoken, Exported chan int

type gate chan int

func (g gate) pass() { g <- 1 }

func wait(c chan int)          { <-c }
func tell(c chan int)          { c <- 1 }
func pass(c chan int)          { wait(c) }
func relay(c chan int)         { tell(c) }
func any2(n int, cs ...chan int) {}
func read(c <-chan int)        {}

func (s *server) stop(c chan int) { close(c) }
func (s *server) say(c chan int)  { c <- 1 }

type stopper interface{ stop(c chan int) }

func local(done bool) {
	a := make(chan int) // closed
	go func() { <-a }()
	if a != nil {
		close(a)
	}
	b := make(chan int) // sent
	select {
	case b <- 1:
	case <-a:
	}
	c := (make(chan int, 1)) // closed
	for range c {
	}
	_ = len(c)
	d := make(chan int) // sent
	e := d
	e <- 1
	f := make(chan int) // closed
	var g = f
	<-g
	h := make(chan int) // sent
	p := &h
	*p <- 1
	var i chan int
	i, j := make(chan int), make(chan int) // closed sent
	<-i
	j <- 1
	var k <-chan int = make(chan int) // closed
	<-k
	var l any = make(chan int) // sent
	fmt.Println(l)
	m := make(gate) // sent
	m.pass()
	<-make(chan int) // closed
	n := make(chan chan int) // sent
	n <- make(chan int) // sent
	o := map[string]chan int{"": make(chan int)} // sent
	<-o[""]
	q := make(chan int) // closed
	go func(c chan int) { <-c }(q)
	r := make(chan int) // sent
	go func(c chan int) { c <- 1 }(r)
	t := make(chan int) // sent
	func() { t <- 1 }()
}

func fields(s *server, x stopper) {
	s.done = make(chan int) // closed
	<-s.done
	s.sent = make(chan int) // sent
	s.sent <- 1
	s.Open = make(chan int) // sent
	s.seen = make(chan int) // closed
	s.all = append(s.all, make(chan int)) // sent
	*s = server{done: make(chan int), sent: make(chan int)} // closed sent
	*s = server{make(chan int), make(chan int), nil, nil, nil} // closed sent
	shut = make(chan int) // closed
	close(shut)
	spoken = make(chan int) // sent
	spoken <- 1
	Exported = make(chan int) // sent
	p := pair[int]{left: make(chan int), right: make(chan int)} // closed sent
	<-p.left
	p.right <- 1
}

func calls(s *server, x stopper) {
	wait(make(chan int)) // closed
	tell(make(chan int)) // sent
	pass(make(chan int)) // closed
	relay(make(chan int)) // sent
	any2(1, make(chan int)) // sent
	read(make(chan int)) // closed
	s.stop(make(chan int)) // closed
	s.say(make(chan int)) // sent
	x.stop(make(chan int)) // sent
	(*server).stop(s, make(chan int)) // sent
	f := tell
	f(make(chan int)) // sent
	_ = (<-chan int)(make(chan int)) // closed
	_ = (chan<- int)(make(chan int)) // sent
}

func results() (c <-chan int, d chan int) {
	a, b := make(chan int), make(chan int) // closed sent
	return a, b
}

func named() (c chan int) {
	c = make(chan int) // sent
	return
}

type limit struct{ cancel, full, one, two, three, four, five, six chan int }

func (l *limit) wait() chan int            { return l.cancel }
func (l *limit) room() chan int            { return l.full }
func (l *limit) byValue() chan int         { return l.one }
func (l *limit) byInterface() chan int     { return l.two }
func (l *limit) Shown() chan int           { return l.three }
func (l *limit) both() (chan int, error)   { return l.four, nil }
func (l *limit) further() chan int         { return l.wait2() }
func (l *limit) wait2() chan int           { return l.five }
func (l *limit) unused() chan int          { return l.six }
func fresh() chan int                      { return make(chan int) } // closed
func freshSent() chan int                  { return make(chan int) } // sent
func dropped() chan int                    { return make(chan int) } // closed
func of[T any]() chan T                    { return make(chan T) } // closed
func ofSent[T any]() chan T                { return make(chan T) } // sent

type bound[T any] struct{ shut, said chan T }

func (b *bound[T]) closes() chan T { return b.shut }
func (b *bound[T]) sends() chan T  { return b.said }

func bounds(b *bound[int]) {
	b.shut = make(chan int) // closed
	close(b.closes())
	b.said = make(chan int) // sent
	b.sends() <- 1
}

type waits interface{ byInterface() chan int }

func limits(l *limit, w waits) {
	l.cancel = make(chan int) // closed
	select {
	case <-l.wait():
	case l.room() <- 1:
	}
	l.full = make(chan int) // sent
	l.one = make(chan int) // sent
	f := l.byValue
	f() <- 1
	l.two = make(chan int) // sent
	w.byInterface() <- 1
	l.three = make(chan int) // sent
	l.four = make(chan int) // sent
	c, _ := l.both()
	c <- 1
	l.five = make(chan int) // sent
	further := l.further()
	further <- 1
	l.six = make(chan int) // closed
	close(fresh())
	c = freshSent()
	c <- 1
	dropped()
	close(of[int]())
	ofSent[int]() <- 1
	read(l.wait())
	(*limit).wait(l)
}

func handed() <-chan int {
	c := make(chan int) // sent
	go func() { c <- 1 }()
	return c
}
`

// TestMakes compares what becomes of the channels with the comments.
func TestMakes(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	if _, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	got := make(map[int]string)
	found := closing.Makes([]*ast.File{f}, info)
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "make" {
				line := fset.Position(n.Pos()).Line
				if found[call] {
					got[line] += " closed"
				} else {
					got[line] += " sent"
				}
			}
		}
		return true
	})
	rows := 0
	for _, c := range f.Comments {
		line := fset.Position(c.Pos()).Line
		if want := c.List[0].Text[2:]; got[line] != want {
			t.Errorf("line %d is found to be%s, but is%s", line, got[line], want)
		}
		rows++
	}
	if rows != len(got) || rows < 40 {
		t.Errorf("%d rows have a comment, %d a make expression", rows, len(got))
	}
}
