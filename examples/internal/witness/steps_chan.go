package witness

import "time"

var chanSteps = []*Step{
	{Name: "c <- v", do: void(func(t *thread) { t.c <- t.value })},
	{Name: "<-c", do: func(t *thread) string { v, ok := <-t.c; return seen(v, ok) }},
	{Name: "close(c)", do: void(func(t *thread) { close(t.c) })},
	{Name: "range c", do: void(func(t *thread) {
		for v := range t.c {
			t.note(seen(v))
		}
	})},
	{Name: "d <- v", do: void(func(t *thread) { t.d <- t.value })},
	{Name: "<-d", do: func(t *thread) string { v, ok := <-t.d; return seen(v, ok) }},
	{Name: "close(d)", do: void(func(t *thread) { close(t.d) })},
	{Name: "range d", do: void(func(t *thread) {
		for v := range t.d {
			t.note(seen(v))
			t.watch.Pause()
		}
	})},
	{Name: "len(d)", do: func(t *thread) string { return seen(len(t.d), cap(t.d)) }},
	{Name: "len(c)", do: func(t *thread) string { return seen(len(t.c), cap(t.c)) }},
	{Name: "<-z", do: void(func(t *thread) { <-t.z })},
	{Name: "close(z)", do: void(func(t *thread) { close(t.z) })},
	{Name: "c <- <-d", do: void(func(t *thread) { t.c <- <-t.d })},
}

var selectSteps = []*Step{
	{Name: "select c <- v, default", do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "sent"
		default:
			return "default"
		}
	}},
	{Name: "select <-c, default", do: func(t *thread) string {
		select {
		case v, ok := <-t.c:
			return seen(v, ok)
		default:
			return "default"
		}
	}},
	{Name: "select d <- v, default", do: func(t *thread) string {
		select {
		case t.d <- t.value:
			return "sent"
		default:
			return "default"
		}
	}},
	{Name: "select <-d, default", do: func(t *thread) string {
		select {
		case v := <-t.d:
			return seen(v)
		default:
			return "default"
		}
	}},
	{Name: "select <-c, <-d", do: func(t *thread) string {
		select {
		case v, ok := <-t.c:
			return seen("c", v, ok)
		case v, ok := <-t.d:
			return seen("d", v, ok)
		}
	}},
	{Name: "select c <- v, <-d", do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "sent"
		case v := <-t.d:
			return seen(v)
		}
	}},
	{Name: "select <-c, d <- v, <-z", do: func(t *thread) string {
		select {
		case v := <-t.c:
			return seen(v)
		case t.d <- t.value:
			return "sent"
		case <-t.z:
			return "nil"
		}
	}},
	{Name: "select c <- v, d <- v, default", do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "c"
		case t.d <- t.value:
			return "d"
		default:
			return "default"
		}
	}},
	{Name: "select <-c, <-c", traits: twice, do: func(t *thread) string {
		select {
		case v := <-t.c:
			return seen("first", v)
		case v := <-t.c:
			return seen("second", v)
		}
	}},
	{Name: "select c <- v, c <- v+1", traits: twice, do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "first"
		case t.c <- t.value + 1:
			return "second"
		}
	}},
	{Name: "select <-c, <-c, d <- v", traits: twice, do: func(t *thread) string {
		select {
		case v := <-t.c:
			return seen("first", v)
		case v := <-t.c:
			return seen("second", v)
		case t.d <- t.value:
			return "third"
		}
	}},
	{Name: "select c <- v, <-c", traits: twice, do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "sent"
		case v := <-t.c:
			return seen(v)
		}
	}},
	{Name: "select <-c, <-time.After", needs: sleep, do: func(t *thread) string {
		select {
		case v := <-t.c:
			return seen(v)
		case <-time.After(moment):
			return "late"
		}
	}},
	{Name: "select c <- v, <-a.Done()", needs: ctxA, do: func(t *thread) string {
		select {
		case t.c <- t.value:
			return "sent"
		case <-t.a.Done():
			return "done"
		}
	}},
	{Name: "select <-c, <-l.Done()", needs: ctxL, traits: derives, do: func(t *thread) string {
		select {
		case v := <-t.c:
			return seen(v)
		case <-t.l.Done():
			return errName(t.l.Err())
		}
	}},
}
