package witness

import "time"

var timerSteps = []*Step{
	{Name: "timer.Stop()", needs: timer, traits: stops, do: func(t *thread) string { return seen(t.timer.Stop()) }},
	{Name: "timer.Reset()", needs: timer, traits: stops, do: func(t *thread) string { return seen(t.timer.Reset(moment)) }},
	{Name: "<-timer.C", needs: timer, do: void(func(t *thread) { <-t.timer.C })},
	{Name: "select <-timer.C, default", needs: timer, do: func(t *thread) string {
		select {
		case <-t.timer.C:
			return "fired"
		default:
			return "default"
		}
	}},
	{Name: "select <-timer.C, <-c", needs: timer, do: func(t *thread) string {
		select {
		case <-t.timer.C:
			return "fired"
		case v := <-t.c:
			return seen(v)
		}
	}},
	{Name: "len(timer.C)", needs: timer, do: func(t *thread) string { return seen(len(t.timer.C), cap(t.timer.C)) }},
	{Name: "after.Stop()", needs: after, do: func(t *thread) string { return seen(t.after.Stop()) }},
	{Name: "after.Reset()", needs: after, do: func(t *thread) string { return seen(t.after.Reset(moment)) }},
	{Name: "<-ticker.C", needs: ticker, traits: ticks, do: void(func(t *thread) { <-t.ticker.C })},
	{Name: "select <-ticker.C, default", needs: ticker, traits: ticks, do: func(t *thread) string {
		select {
		case <-t.ticker.C:
			return "fired"
		default:
			return "default"
		}
	}},
	{Name: "ticker.Stop()", needs: ticker, do: void(func(t *thread) { t.ticker.Stop() })},
	{Name: "ticker.Reset()", needs: ticker, do: void(func(t *thread) { t.ticker.Reset(moment) })},
	{Name: "time.Sleep(moment)", needs: sleep, traits: yields, do: void(func(t *thread) { time.Sleep(moment) })},
	{Name: "time.Sleep(0)", traits: yields, do: void(func(t *thread) { time.Sleep(0) })},
	{Name: "time.AfterFunc(n.Add(1))", needs: sleep, do: void(func(t *thread) { time.AfterFunc(moment, func() { t.n.Add(1) }) })},
	{Name: "time.AfterFunc(0, close(c))", needs: sleep, do: void(func(t *thread) {
		time.AfterFunc(0, func() {
			defer func() { recover() }()
			close(t.c)
		})
	})},
}
