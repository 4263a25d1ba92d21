package edges

import (
	"fmt"
	"strings"
)

// row is one edge: in a goroutine WRITE, which writes a variable, and what releases; in another one what acquires, and
// READ, which reads it.
type row struct {
	name  string
	why   string // what says so: the documentation, or what the library does
	decl  string // what comes before the goroutines start
	a, b  string // what they do
	late  string // a with a WRITE that comes too late; if empty, that is a with it at the end
	none  bool   // there is no edge: the write and the read race, and there is no program with a late WRITE
	alone bool   // the test itself does a, and starts what reads; there is no b

	// part is what the verdict takes for granted if the search is not exhaustive: a part of its text.
	part string
	// The judges differ: why go test -race says of the row, and of the one that is late, what por does not.
	native, nativeLate string
	// There is no edge, and por has one: why.
	lenient string
}

// program is one test function.
type program struct {
	of    *row
	late  bool   // its WRITE comes too late
	races bool   // por finds a data race
	why   string // why go test -race says the opposite, "" if it does not
}

// programs returns those of the rows: of every edge one that is in order, and one that is late.
func programs(rows []row) (all []program) {
	for i := range rows {
		r := &rows[i]
		races := r.none && r.lenient == ""
		all = append(all, program{r, false, races, r.native + r.lenient})
		if !r.none {
			all = append(all, program{r, true, true, r.nativeLate})
		}
	}
	return all
}

// text returns the test function of a program. Its name says what is expected.
func (p program) text(number int) string {
	a := p.of.a
	switch {
	case !p.late:
	case p.of.late != "":
		a = p.of.late
	default:
		a = strings.Replace(a, "WRITE", "", 1) + "; WRITE"
	}
	fill := strings.NewReplacer("WRITE", "*x = 1; pause()", "READ", "pause(); use(*x)")
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\nfunc Test%s(t *testing.T) {\n\tx := new(int)\n\t_ = x\n\t%s\n", p.of.name, p.name(number), fill.Replace(p.of.decl))
	if p.of.alone {
		fmt.Fprintf(&b, "\t%s\n}\n", fill.Replace(a))
		return b.String()
	}
	fmt.Fprintf(&b, "\tvar both sync.WaitGroup\n\tboth.Go(func() { pause(); %s })\n", fill.Replace(a))
	fmt.Fprintf(&b, "\tboth.Go(func() { pause(); %s })\n\tboth.Wait()\n}\n", fill.Replace(p.of.b))
	return b.String()
}

func (p program) name(number int) string {
	if !p.races {
		return fmt.Sprintf("Ordered%d", number)
	}
	return fmt.Sprintf("Racing%d", number)
}
