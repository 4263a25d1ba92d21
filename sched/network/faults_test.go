package network_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// outcomes returns what the executions of f with a plan return.
func outcomes(t *testing.T, plan string, f func() string) map[string]bool {
	t.Helper()
	got, latest := make(map[string]bool), ""
	c := exec.New(func() { latest = f() }, exec.Options{AllowLeaks: true, Net: exec.Net{Plan: plan}})
	defer c.Shutdown()
	_, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
		if !x.Blocked {
			for _, f := range x.Run.Outcome() {
				t.Error(f)
			}
			got[latest] = true
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestWhatArrives says what is read, and which errors there are, where faults come one after the
// other. The first uses of sockets of main are those of open: the dial is number 0, and Accept is
// number 1.
func TestWhatArrives(t *testing.T) {
	reset, eof := network.Reset.Error(), io.EOF.Error()
	for _, tt := range []struct {
		name, plan string
		f          func(s *sockets) string
		want       []string
	}{
		{"what was written by the other end may be lost", "reset::3", func(s *sockets) string {
			s.ends[0].Write([]byte("ab"))
			return text(s.ends[1].Read(2)) + text(s.ends[1].Read(2)) + text(s.ends[1].Read(2))
		}, []string{"ab" + reset + eof, reset + eof + eof}},
		{"what this end has written may be lost", "reset::3", func(s *sockets) string {
			s.ends[0].Write([]byte("ab"))
			return wrote(s.ends[0].Write([]byte("c"))) + text(s.ends[1].Read(2)) + wrote(s.ends[0].Write([]byte("c"))) + text(s.ends[0].Read(1))
		}, []string{"0" + reset + "ab" + "0" + network.Broken.Error() + eof, "0" + reset + reset + "0" + network.Broken.Error() + eof}},
		{"a Write that finds the reset may lose what the other end has written", "reset::3", func(s *sockets) string {
			s.ends[1].Write([]byte("ab"))
			return wrote(s.ends[0].Write([]byte("c"))) + text(s.ends[0].Read(2))
		}, []string{"0" + reset + "ab", "0" + reset + eof}},
		{"what is late is lost by a reset", "delay::2:1s,reset::3", func(s *sockets) string {
			s.ends[0].Write([]byte("ab"))
			return text(s.ends[1].Read(2)) + text(s.ends[1].Read(2))
		}, []string{reset + eof}},
		{"what has arrived before a delay is not lost by that", "delay::3:1s,reset::4", func(s *sockets) string {
			s.ends[0].Write([]byte("ab"))
			s.ends[0].Write([]byte("cd"))
			return text(s.ends[1].Read(2)) + text(s.ends[1].Read(2)) + text(s.ends[1].Read(2))
		}, []string{"ab" + reset + eof, reset + eof + eof}},
		{"the end of what is written is late, too", "delay::2:1s,reset::3", func(s *sockets) string {
			s.ends[0].Write([]byte("ab"))
			s.ends[0].CloseWrite()
			return text(s.ends[1].Read(2))
		}, []string{reset}},
		{"the end of what is written comes after it", "delay::2:1s", func(s *sockets) string {
			begin := sched.Now()
			s.ends[0].Write([]byte("ab"))
			s.ends[0].CloseWrite()
			return text(s.ends[1].Read(2)) + text(s.ends[1].Read(2)) + sched.Since(begin).Round(time.Second).String()
		}, []string{"ab" + eof + "1s"}},
		{"a Write that waits for room is told of the reset", "reset::3", func(s *sockets) string {
			n := ""
			h := sched.Go(func() { n = wrote(s.ends[0].Write(large)) })
			sched.Sleep(time.Millisecond)
			s.ends[1].Write([]byte("x"))
			s.ends[1].Read(1)
			h.Join()
			return n + text(s.ends[0].Read(1)) + text(s.ends[0].Read(1))
		}, []string{fmt.Sprint(network.Room, reset) + "x" + eof, fmt.Sprint(network.Room, reset) + eof + eof}},
		{"half a Write arrives", "short::2", func(s *sockets) string {
			return wrote(s.ends[0].Write([]byte("abcde"))) + text(s.ends[1].Read(9)) + text(s.ends[1].Read(9)) + text(s.ends[0].Read(9))
		}, []string{"2" + reset + "ab" + reset + eof, "2" + reset + reset + eof + eof}},
		{"a dial is refused once", "refuse::2", func(s *sockets) string {
			_, err := network.Dial(name, place, "again", false)
			_, again := network.Dial(name, place, "again", false)
			return outcome(err) + outcome(again)
		}, []string{network.Refused.Error() + "ok"}},
		{"a dial that is slow has a limit", "slow::2:1m0s", func(s *sockets) string {
			begin := sched.Now()
			_, err := network.DialWithin(name, place, "again", false, func() (int64, bool) { return int64(time.Second), true })
			return outcome(err) + sched.Since(begin).Round(time.Second).String()
		}, []string{network.Timeout.Error() + "1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wants(t, outcomes(t, tt.plan, func() string {
				s := open("stream")
				return tt.f(&s)
			}), tt.want...)
		})
	}
}

// TestDatagramFaults says what is received.
func TestDatagramFaults(t *testing.T) {
	for plan, want := range map[string]string{
		"":                      "012",
		"lose::1":               "02t",
		"double::1":             "0112",
		"late::0":               "102",
		"late::2":               "01t",
		"late::0,late::1":       "201",
		"lose::0,double::2":     "122t",
		"late::0,double::1":     "1012",
		"reset::0,short::1":     "012", // such faults are not those of datagrams
		"refuse::0,crash::1:1s": "012",
	} {
		wants(t, outcomes(t, plan, func() string {
			s := open("packets")
			for i := range 3 {
				if err := s.p[0].SendTo("udp 1", place, "", fmt.Append(nil, i), true); err != nil {
					return err.Error()
				}
			}
			list := ""
			for range want {
				s.p[1].SetReadDeadline(time.Second)
				data, _, err := s.p[1].ReceiveFrom()
				if err != nil {
					return list + "t"
				}
				list += string(data)
			}
			return list
		}), want)
	}
}

// TestResetsAgainstDeadlines explores all interleavings where a Write waits for room, its deadline
// passes, and the connection is reset by either end.
func TestResetsAgainstDeadlines(t *testing.T) {
	find := func(what string, i int) action {
		for _, a := range actions("stream", i) {
			if a.text == fmt.Sprint(what, i) {
				return a
			}
		}
		for _, a := range actions("room", i) {
			if a.text == fmt.Sprint(what, i) {
				return a
			}
		}
		panic(what)
	}
	for _, p := range []program{
		{threads: [][]action{{find("large", 0)}, {find("writedeadline", 0)}, {find("write", 1)}}, plan: faults.Plan{{Kind: faults.Reset, Path: []int32{2}}}},
		{threads: [][]action{{find("large", 0)}, {find("writedeadline", 0)}, {find("read", 1)}}, plan: faults.Plan{{Kind: faults.Reset, Path: []int32{2}}}},
		{threads: [][]action{{find("large", 0)}, {find("writedeadline", 0)}, {find("read", 0)}}, plan: faults.Plan{{Kind: faults.Reset, Path: []int32{2}}}},
		{threads: [][]action{{find("large", 0)}, {find("close", 1)}, {find("write", 1)}}, plan: faults.Plan{{Kind: faults.Reset, Path: []int32{2}}}},
		{threads: [][]action{{find("large", 0), find("read", 0)}, {find("readpart", 1)}, {find("write", 1)}}, plan: faults.Plan{{Kind: faults.Delay, Path: []int32{0}, For: time.Second}, {Kind: faults.Reset, Path: []int32{2}}}},
	} {
		p.family = "stream"
		if _, err := p.check(); err != nil {
			t.Errorf("%v\n%v", p, err)
		}
	}
}
