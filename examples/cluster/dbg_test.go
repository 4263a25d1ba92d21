package cluster

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestFigures(t *testing.T) {
	for _, load := range []bool{false, true} {
		for _, d := range []time.Duration{20 * time.Second, 80 * time.Second, 320 * time.Second} {
			var begin, used time.Duration
			var m runtime.MemStats
			res, err := por.Explore(func() {
				begin = cpu()
				c := cluster(None, [3]Disk{}, [3]time.Duration{soon, later, 2 * later}).run()
				if load {
					for range int(d / (100 * time.Millisecond)) {
						Call(c.addrs[0], Request{Kind: "get"})
						time.Sleep(100 * time.Millisecond)
					}
				} else {
					time.Sleep(d)
				}
				runtime.GC()
				runtime.ReadMemStats(&m)
				used = cpu() - begin
				c.stop()
			}, por.MaxExecutions(1), por.MaxClock(time.Hour), por.MaxSteps(10_000_000))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("load %v, %v: cpu %v, %.0f x, steps %d, heap %d MB\n", load, d, used, d.Seconds()/used.Seconds(), res.Stats.MaxDepth, m.HeapAlloc>>20)
		}
	}
}
