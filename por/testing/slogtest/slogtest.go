// Package slogtest is the twin of testing/slogtest for por test -check.
package slogtest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/slogtest"

	twin "github.com/gopor/gopor/por/testing"
)

// TestHandler is slogtest.TestHandler.
func TestHandler(h slog.Handler, results func() []map[string]any) error {
	return slogtest.TestHandler(h, results)
}

// Run runs the cases of slogtest.Run, in an execution within the test itself: it has no
// subtests there.
func Run(t *twin.T, newHandler func(*twin.T) slog.Handler, result func(*twin.T) map[string]any) {
	t.Helper()
	if native := twin.Gopor__Native(t); native != nil {
		slogtest.Run(native, func(t *testing.T) slog.Handler { return newHandler(twin.Gopor__Once(t)) },
			func(t *testing.T) map[string]any { return result(twin.Gopor__Once(t)) })
		return
	}
	var results []map[string]any
	each := handler{func() slog.Handler { return newHandler(t) }, func() { results = append(results, result(t)) }}
	if err := slogtest.TestHandler(each, func() []map[string]any { return results }); err != nil {
		t.Error(err)
	}
}

// handler makes a handler for every record, which is a case each, and calls done when
// that has got its record.
type handler struct {
	make func() slog.Handler
	done func()
}

func (handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	to := h.make()
	if !to.Enabled(ctx, r.Level) {
		return fmt.Errorf("records of level %v are not enabled", r.Level)
	}
	defer h.done()
	return to.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{func() slog.Handler { return h.make().WithAttrs(attrs) }, h.done}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{func() slog.Handler { return h.make().WithGroup(name) }, h.done}
}
