package witness

import (
	"context"
	"errors"
)

// errCause is what b is cancelled for.
var errCause = errors.New("cause")

var contextSteps = []*Step{
	{Name: "cancel a", needs: ctxA, traits: cancels, do: void(func(t *thread) { t.cancelA() })},
	{Name: "cancel b", needs: ctxB, traits: derives, do: void(func(t *thread) { t.cancelB(errCause) })},
	{Name: "cancel s", needs: ctxS, traits: derives, do: void(func(t *thread) { t.cancelS() })},
	{Name: "a.Err()", needs: ctxA, do: func(t *thread) string { return errName(t.a.Err()) }},
	{Name: "b.Err()", needs: ctxB, traits: derives, do: func(t *thread) string { return errName(t.b.Err()) }},
	{Name: "s.Err()", needs: ctxS, traits: derives, do: func(t *thread) string { return errName(t.s.Err()) }},
	{Name: "Cause(b)", needs: ctxB, traits: derives, do: func(t *thread) string { return errName(context.Cause(t.b)) }},
	{Name: "<-a.Done()", needs: ctxA, do: void(func(t *thread) { <-t.a.Done() })},
	{Name: "<-b.Done()", needs: ctxB, traits: derives, do: void(func(t *thread) { <-t.b.Done() })},
	{Name: "<-s.Done()", needs: ctxS, traits: derives, do: void(func(t *thread) { <-t.s.Done() })},
	{Name: "select <-a.Done(), <-b.Done()", needs: ctxB, traits: derives, do: func(t *thread) string {
		select {
		case <-t.a.Done():
			return "a"
		case <-t.b.Done():
			return "b"
		}
	}},
	{Name: "select <-b.Done(), default", needs: ctxB, traits: derives, do: func(t *thread) string {
		select {
		case <-t.b.Done():
			return "done"
		default:
			return "default"
		}
	}},
	{Name: "WithCancel(a)", needs: ctxA, traits: derives, do: func(t *thread) string {
		c, cancel := context.WithCancel(t.a)
		defer cancel()
		t.watch.Pause()
		return errName(c.Err())
	}},
	{Name: "WithoutCancel(a)", needs: ctxA, do: func(t *thread) string { return errName(context.WithoutCancel(t.a).Err()) }},
	{Name: "AfterFunc(a, n.Add(1))", needs: ctxA, traits: derives, do: void(func(t *thread) {
		t.unafter = context.AfterFunc(t.a, func() { t.n.Add(1) })
	})},
	{Name: "AfterFunc(a, d <- b.Err())", needs: ctxB, traits: derives, do: void(func(t *thread) {
		t.unafter = context.AfterFunc(t.a, func() {
			if t.b.Err() == nil {
				t.d <- 1
			} else {
				t.d <- 2
			}
		})
	})},
	{Name: "stop AfterFunc", do: func(t *thread) string { return seen(t.unafter != nil && t.unafter()) }},
	{Name: "l.Err()", needs: ctxL, traits: derives, do: func(t *thread) string { return errName(t.l.Err()) }},
	{Name: "<-l.Done()", needs: ctxL, traits: derives, do: func(t *thread) string { <-t.l.Done(); return errName(t.l.Err()) }},
	{Name: "cancel l", needs: ctxL, traits: derives, do: void(func(t *thread) { t.cancelL() })},
	{Name: "Cause(l)", needs: ctxL, traits: derives, do: func(t *thread) string { return errName(context.Cause(t.l)) }},
	{Name: "AfterFunc(l, n.Add(1))", needs: ctxL, traits: derives, do: void(func(t *thread) {
		t.unafter = context.AfterFunc(t.l, func() { t.n.Add(1) })
	})},
	{Name: "WithTimeout(a)", needs: ctxA | sleep, traits: derives, do: func(t *thread) string {
		c, cancel := context.WithTimeout(t.a, moment)
		defer cancel()
		<-c.Done()
		return errName(c.Err())
	}},
}
