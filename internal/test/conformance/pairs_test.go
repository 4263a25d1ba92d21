package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// pairOf are the kinds of two events, in order.
type pairOf [2]trace.Kind

func (p pairOf) String() string { return fmt.Sprintf("%v and %v", p[0], p[1]) }

func pairOfEvents(a, b *event) pairOf { return pairOf{min(a.kind, b.kind), max(a.kind, b.kind)} }

var socketKindsOfOps = []trace.Kind{trace.OpListen, trace.OpDial, trace.OpAccept, trace.OpNetRead, trace.OpNetWrite,
	trace.OpShut, trace.OpNetClose, trace.OpSendTo, trace.OpReceiveFrom, trace.OpDeadline}

// TestSocketPairs: the judge notices that two kinds of operations of sockets are called independent, for every
// two that depend on each other in some program.
func TestSocketPairs(t *testing.T) {
	if !effort.Full() {
		t.Skip("it takes thousands of programs")
	}
	var list []*Family
	for _, name := range []string{"connections", "streams", "listeners", "packets", "sockets-lag"} {
		f, _ := FamilyNamed(name)
		list = append(list, f)
	}
	seen, caught := make(map[pairOf]int), make(map[pairOf]bool)
	try := func(p *Program) {
		could := make(map[pairOf]bool)
		judge := func(apart func(a, b *event) bool) error {
			j := Judge{Most: 300}
			j.tracer.apart = apart
			return j.Verify(p)
		}
		err := judge(func(a, b *event) bool {
			if k := pairOfEvents(a, b); slices.Contains(socketKindsOfOps, k[0]) && slices.Contains(socketKindsOfOps, k[1]) {
				could[k] = true
			}
			return false
		})
		if err != nil {
			return
		}
		for k := range could {
			if seen[k]++; !caught[k] {
				err := judge(func(a, b *event) bool { return pairOfEvents(a, b) == k })
				caught[k] = err != nil && !errors.Is(err, ErrTooBig)
			}
		}
	}
	for _, p := range corpus(t) {
		try(p)
	}
	for i := range toytest.Number(t, "GOPOR_PROGRAMS", 12000) {
		try(Generate(list[i%int64(len(list))], rand.New(rand.NewPCG(6, uint64(i)))))
	}
	var left []string
	for k := range seen {
		if !caught[k] {
			left = append(left, fmt.Sprintf("%v, in %d programs", k, seen[k]))
		}
	}
	slices.Sort(left)
	if t.Logf("%d pairs", len(seen)); len(left) > 0 || len(seen) < 25 {
		t.Errorf("not caught:\n%s", strings.Join(left, "\n"))
	}
}
