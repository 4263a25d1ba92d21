package sched_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
)

func TestTmp(t *testing.T) {
	show := func(name string, f *found) { t.Log(name, f.Traces, f.Runs, f.list()) }
	show("add", exact(t, sched.Options{}, func() string {
		var x sched.Int32
		var wg sched.WaitGroup
		for range 2 {
			wg.Go(func() { x.Add(1); x.Load() })
		}
		wg.Wait()
		return fmt.Sprint(x.Load())
	}))
	show("ctx", exact(t, sched.Options{}, func() string {
		ctx, cancel := sched.WithCancel(sched.Background())
		out := [2]string{}
		var wg sched.WaitGroup
		for i := range 2 {
			wg.Go(func() { ctx.Done().Recv(); out[i] = ctx.Err().Error() })
		}
		cancel()
		wg.Wait()
		return fmt.Sprint(out)
	}))
	show("ctx select", exact(t, sched.Options{}, func() string {
		ctx, cancel := sched.WithCancel(sched.Background())
		out := [3]int{}
		var wg sched.WaitGroup
		c := sched.NewChan[int](0)
		for i := range 2 {
			wg.Go(func() { out[i] = sched.Select(sched.RecvCase(ctx.Done(), nil, nil), sched.RecvCase(c, nil, nil)) })
		}
		wg.Go(func() { out[2] = sched.Select(sched.SendCase(c, 1), sched.RecvCase(ctx.Done(), nil, nil)) })
		cancel()
		wg.Wait()
		return fmt.Sprint(out)
	}))
	for _, m := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder} {
		show("ctx timeout", exact(t, sched.Options{Time: m}, func() string {
			ctx, cancel := sched.WithTimeout(sched.Background(), time.Second)
			var wg sched.WaitGroup
			wg.Add(1)
			sched.ContextAfterFunc(ctx, func() { wg.Done() })
			c2, cancel2 := sched.WithCancelCause(ctx)
			wg.Go(func() { cancel2(context.Canceled) })
			wg.Go(func() { sched.Sleep(time.Second); cancel() })
			wg.Wait()
			return fmt.Sprint(ctx.Err(), c2.Err(), sched.Cause(c2))
		}))
		show("timer", exact(t, sched.Options{Time: m}, func() string {
			tm := sched.NewTimer(time.Second)
			tm2 := sched.NewTimer(2 * time.Second)
			var wg sched.WaitGroup
			var r, s bool
			wg.Go(func() { sched.Sleep(time.Second); r = tm.Stop(); s = tm2.Reset(1) })
			tm2.C.Recv()
			n := sched.Select(sched.RecvCase(tm.C, nil, nil), sched.Default)
			wg.Wait()
			return fmt.Sprint(r, s, n)
		}))
	}
	show("map", exact(t, sched.Options{}, func() string {
		var m sched.Map
		var wg sched.WaitGroup
		out := [3]any{}
		wg.Go(func() { m.Store(1, 1); m.CompareAndDelete(2, 2) })
		wg.Go(func() { _, out[0] = m.LoadOrStore(1, 2); m.Store(2, 2) })
		wg.Go(func() { out[1] = 0; m.Range(func(k, v any) bool { out[1] = out[1].(int)*100 + k.(int)*10 + v.(int); return true }); m.Clear() })
		wg.Wait()
		return fmt.Sprint(out)
	}))
}
