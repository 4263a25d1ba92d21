package racy

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// pairing is a program of two statements in two goroutines that nothing orders, and what both judges say of it.
type pairing struct {
	name          string
	before        string // what is done before
	first, second string
	found, shown  answer
	why           string // they differ
}

func (p *pairing) program() program {
	return program{body: strings.Join([]string{p.before, "var both sync.WaitGroup",
		"both.Go(func() { pause(); " + p.first + " })", "both.Go(func() { pause(); " + p.second + " })", "both.Wait()"}, "\n")}
}

// judgeListed asks both judges about what is listed, and compares what they say with that.
func judgeListed(t *testing.T, list []pairing) {
	t.Helper()
	if !effort.Full() {
		t.Skip("builds, explores and runs many programs")
	}
	var programs []program
	for _, p := range list {
		programs = append(programs, p.program())
	}
	found, shown := ask(t, programs)
	for n, p := range list {
		differ := !agree(p.found, p.shown) && (p.found != unexplored || p.shown != none)
		if differ != (p.why != "") {
			t.Errorf("%s: there has to be a reason if the judges differ, and no other one", p.name)
		}
		if found[n].answer != p.found || shown[n].answer != p.shown {
			t.Errorf("%s: por: %v, want %v; go test -race: %v, want %v\n%s%s\n%s", p.name, found[n].answer, p.found,
				shown[n].answer, p.shown, programs[n].text(n), found[n].output, shown[n].output)
		}
	}
}
