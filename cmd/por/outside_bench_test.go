package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// outsideTimes is how often each program of testdata/outside.txtar does its work:
// about a third of a second.
var outsideTimes = []struct {
	program string
	times   int
}{
	{"sum", 200}, {"sort", 30}, {"counter", 15_000_000}, {"cache", 10_000_000}, {"atomic", 20_000_000},
	{"queue", 5_000_000}, {"words", 40_000}, {"tree", 3_000}, {"heap", 6_000},
	{"stack", 100_000}, {"interface", 3_000},
}

// BenchmarkOutside compares programs that are brought under control, but run
// outside of executions, with the same as they are. The two run in turns, on one
// core, and what counts is CPU time: the metric is the median, over all turns, of
// what the one takes more than the other, in percent. Go test -run - -bench Outside
// -benchtime 21x ./cmd/por makes 21 turns, in about three minutes.
func BenchmarkOutside(b *testing.B) {
	n := extracted(b, "testdata/outside.txtar")
	por, plain, rewritten := filepath.Join(n.dir, "por"), filepath.Join(n.dir, "plain"), filepath.Join(n.dir, "rewritten")
	build := func(dir string, words ...string) {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	build(".", "go", "build", "-o", por, ".")
	build(n.dir, "go", "test", "-c", "-o", plain, ".")
	build(n.dir, por, "test", "-c", "-o", rewritten, ".")
	took := func(binary, program string, times int) time.Duration {
		cmd := exec.Command(binary, "-test.run=Program", "-test.count=1")
		cmd.Env = append(os.Environ(), "POR_INSTRUMENT=off", "GOMAXPROCS=1", "OUTSIDE_PROGRAM="+program, fmt.Sprint("OUTSIDE_TIMES=", times))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	for _, p := range outsideTimes {
		b.Run(p.program, func(b *testing.B) {
			var more, each []float64
			for i := 0; b.Loop(); i++ {
				binaries := []string{plain, rewritten}
				if i%2 == 1 {
					slices.Reverse(binaries)
				}
				used := map[string]time.Duration{}
				for _, binary := range binaries {
					used[binary] = took(binary, p.program, p.times)
				}
				more = append(more, 100*(float64(used[rewritten])/float64(used[plain])-1))
				each = append(each, float64(used[plain])/float64(p.times))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(each), "plain-ns")
			b.ReportMetric(median(more), "%more")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
