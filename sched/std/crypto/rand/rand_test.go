package rand_test

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/std/crypto/rand"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/trace"
)

// Every execution draws the same numbers, and every goroutine others.
func TestSeeded(t *testing.T) {
	text := ""
	draw := func(b []byte) string {
		rand.Read(b)
		n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
		return fmt.Sprint(b, rand.Text(), n, err)
	}
	c := exec.New(func() {
		of := [2]string{}
		h := sched.Go(func() { of[1] = draw(make([]byte, 8)) })
		of[0] = draw(make([]byte, 8))
		h.Join()
		sched.Choose(5)
		if of[0] == of[1] || text != "" && text != fmt.Sprint(of) {
			panic(fmt.Sprint(of, " is not ", text))
		}
		text = fmt.Sprint(of)
	}, exec.Options{})
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(x *trace.Execution) bool {
		for _, f := range x.Run.Outcome() {
			t.Error(f.Msg)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if a := c.Assumptions(); len(a) == 0 || a[0].Kind != sched.AssumeRandom || a[0].What != "numbers from crypto/rand" {
		t.Error(a)
	}
}

// A choice from few is explored.
func TestExplored(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		n, err := rand.Int(rand.Reader, big.NewInt(3))
		return fmt.Sprint(n, err)
	}, por.Rand(sched.RandExplore))
	if found.Traces != 3 || found.Outcomes != "0 <nil> | 1 <nil> | 2 <nil>" {
		t.Errorf("%+v", found)
	}
}

// Outside of executions the numbers are those of crypto/rand, or of a Reader that somebody
// has set.
func TestOutside(t *testing.T) {
	a, b := make([]byte, 16), make([]byte, 16)
	n, err := rand.Read(a)
	io.ReadFull(rand.Reader, b)
	if n != 16 || err != nil || bytes.Equal(a, b) || len(rand.Text()) < 26 || rand.Text() == rand.Text() {
		t.Error(n, err, a, b)
	}
	if p, err := rand.Prime(rand.Reader, 16); err != nil || !p.ProbablyPrime(10) {
		t.Error(p, err)
	}
	old := rand.Reader
	defer func() { rand.Reader = old }()
	rand.Reader = bytes.NewReader([]byte("0123456789abcdef"))
	if rand.Read(a); string(a) != "0123456789abcdef" {
		t.Errorf("%s", a)
	}
}
