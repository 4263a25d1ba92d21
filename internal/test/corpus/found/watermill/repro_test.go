package watermill

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
)

// A source has no messages.
type source struct{ closed atomic.Bool }

func (s *source) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	c := make(chan *message.Message)
	go func() { <-ctx.Done(); close(c) }()
	return c, nil
}

func (s *source) Close() error { s.closed.Store(true); return nil }

// closed runs a router with some handlers, closes it, and returns how many sources were not closed.
func closed(t *testing.T, handlers int) (open int) {
	r, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	sources := make([]source, handlers)
	for i := range sources {
		r.AddConsumerHandler(fmt.Sprint("h", i), "topic", &sources[i], func(*message.Message) error { return nil })
	}
	done := make(chan bool)
	go func() { r.Run(context.Background()); close(done) }()
	<-r.Running()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	<-done
	for i := range sources {
		if !sources[i].closed.Load() {
			open++
		}
	}
	return open
}

// TestClose closes a router with one handler.
func TestClose(t *testing.T) {
	if closed(t, 1) > 0 {
		t.Error("the router is closed, and its subscriber is not")
	}
}

// TestCloseForced closes routers with so many that some have not come to their select.
func TestCloseForced(t *testing.T) {
	const handlers = 10_000
	for range 20 {
		if n := closed(t, handlers); n > 0 {
			t.Fatalf("the router is closed, and %d of %d subscribers are not", n, handlers)
		}
	}
}
