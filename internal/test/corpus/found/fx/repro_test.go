package fx

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"
)

// TestShutdown has two parts of an application shut it down. It is a data race in any order: go test -race.
func TestShutdown(t *testing.T) {
	var sd fx.Shutdowner
	app := fx.New(fx.NopLogger, fx.Populate(&sd))
	wait := app.Wait()
	defer app.Stop(context.Background())
	var sent [2]error
	var wg sync.WaitGroup
	for i := range sent {
		wg.Go(func() { sent[i] = sd.Shutdown(fx.ExitCode(i)) })
	}
	wg.Wait()
	if sig := <-wait; sent[sig.ExitCode] != nil {
		t.Error("the exit code is", sig.ExitCode, "of a call that has failed:", sent[sig.ExitCode])
	}
}

// TestStopWhileStarting stops an application of which Start has run out of time.
func TestStopWhileStarting(t *testing.T) {
	app := fx.New(fx.NopLogger, fx.Invoke(func(l fx.Lifecycle) {
		l.Append(fx.StartHook(func() { time.Sleep(time.Second) }))
	}))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if app.Start(ctx) != nil {
		app.Stop(context.Background())
	}
}

// TestStopWhileStartingForced has the hook return before Stop. With sleep.diff it is a data race: go test -race.
func TestStopWhileStartingForced(t *testing.T) {
	proceed := make(chan struct{})
	app := fx.New(fx.NopLogger, fx.Invoke(func(l fx.Lifecycle) {
		l.Append(fx.StartHook(func() { <-proceed }))
	}))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if app.Start(ctx) == nil {
		t.Fatal("the hook waits, and the application has started")
	}
	close(proceed)
	time.Sleep(50 * time.Millisecond) // for the goroutine of Start, for which nothing waits
	app.Stop(context.Background())
}

// TestStopExpired stops an application twice without time, and once with.
func TestStopExpired(t *testing.T) {
	app := fx.New(fx.NopLogger)
	app.Done()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	app.Stop(ctx)
	app.Stop(ctx)
	if err := app.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestStopExpiredForced does that with some applications, since which case a select takes is drawn.
func TestStopExpiredForced(t *testing.T) {
	for range 50 {
		app := fx.New(fx.NopLogger)
		app.Done()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		app.Stop(ctx)
		time.Sleep(10 * time.Millisecond) // the goroutines of Stop go on when it has returned
		app.Stop(ctx)
		time.Sleep(10 * time.Millisecond)
		ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
		err := app.Stop(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("the third Stop does not return")
		}
	}
}
