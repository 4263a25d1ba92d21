package otel

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// An exporter counts spans. If there are channels, it says that it has begun, and waits.
type exporter struct {
	mu             sync.Mutex
	spans          int
	begun, proceed chan struct{}
}

func (e *exporter) ExportSpans(_ context.Context, s []trace.ReadOnlySpan) error {
	if e.begun != nil {
		close(e.begun)
		<-e.proceed
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spans += len(s)
	return nil
}

func (e *exporter) Shutdown(context.Context) error { return nil }

func (e *exporter) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spans
}

// TestBlocking ends two spans beside Shutdown.
func TestBlocking(t *testing.T) {
	ctx := context.Background()
	p := trace.NewBatchSpanProcessor(new(exporter), trace.WithBlocking(), trace.WithMaxQueueSize(1))
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(p)).Tracer("t")
	var wg sync.WaitGroup
	for range 2 {
		_, span := tracer.Start(ctx, "s")
		wg.Go(func() { span.End() })
	}
	p.Shutdown(ctx)
	wg.Wait()
}

// A late span is at the point in OnEnd where the processor was not shut down yet when its context is read.
type late struct {
	trace.ReadOnlySpan
	begun, proceed chan struct{}
}

func (l late) SpanContext() api.SpanContext {
	l.begun <- struct{}{}
	<-l.proceed
	return l.ReadOnlySpan.SpanContext()
}

// TestBlockingForced has Shutdown come when OnEnd of both spans has found that it has not.
func TestBlockingForced(t *testing.T) {
	ctx := context.Background()
	p := trace.NewBatchSpanProcessor(new(exporter), trace.WithBlocking(), trace.WithMaxQueueSize(1))
	tracer := trace.NewTracerProvider().Tracer("t")
	begun, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range 2 {
		_, span := tracer.Start(ctx, "s")
		go func() {
			p.OnEnd(late{span.(trace.ReadOnlySpan), begun, proceed})
			ended <- struct{}{}
		}()
		<-begun
	}
	p.Shutdown(ctx)
	close(proceed)
	for range 2 {
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Fatal("the processor is shut down, and OnEnd does not return")
		}
	}
}

// TestFlush flushes beside Shutdown.
func TestFlush(t *testing.T) {
	ctx := context.Background()
	e := new(exporter)
	p := trace.NewBatchSpanProcessor(e)
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(p)).Tracer("t")
	_, span := tracer.Start(ctx, "s")
	span.End()
	var wg sync.WaitGroup
	wg.Go(func() {
		if p.ForceFlush(ctx) == nil && e.count() != 1 {
			t.Error("flushed, and not exported")
		}
	})
	wg.Go(func() { p.Shutdown(ctx) })
	wg.Wait()
}

// TestFlushForced flushes while the exporter is slow, and Shutdown waits for it.
func TestFlushForced(t *testing.T) {
	ctx := context.Background()
	e := &exporter{begun: make(chan struct{}), proceed: make(chan struct{})}
	p := trace.NewBatchSpanProcessor(e)
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(p)).Tracer("t")
	_, span := tracer.Start(ctx, "s")
	span.End()
	go p.Shutdown(ctx)
	<-e.begun
	flushed := make(chan int)
	go func() {
		if p.ForceFlush(ctx) != nil {
			close(flushed)
			return
		}
		flushed <- e.count()
	}()
	select {
	case n := <-flushed:
		if n != 1 {
			t.Error("flushed, and not exported")
		}
	case <-time.After(time.Second): // it waits for the exporter
	}
	close(e.proceed)
}
