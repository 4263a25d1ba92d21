package zap

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"
)

// A sink keeps what is written. If there are channels, the first Write says that it has begun, and waits.
type sink struct {
	mu             sync.Mutex
	b              bytes.Buffer
	begun, proceed chan struct{}
	once           sync.Once
}

func (s *sink) Write(p []byte) (int, error) {
	if s.begun != nil {
		s.once.Do(func() {
			close(s.begun)
			<-s.proceed
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sink) Sync() error { return nil }

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestStop has two goroutines stop one syncer.
func TestStop(t *testing.T) {
	out := new(sink)
	ws := &zapcore.BufferedWriteSyncer{WS: out}
	ws.Write([]byte("a"))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if ws.Stop(); out.String() != "a" {
				t.Error("stopped, and nothing is written")
			}
		})
	}
	wg.Wait()
}

// TestStopForced has two Stops wait for the lock of a syncer that writes to a slow sink. A mutex that has been
// waited for for more than a millisecond is handed on in order: the second Stop has it next, and the first,
// which has the rest to write, has to wait.
func TestStopForced(t *testing.T) {
	out := &sink{begun: make(chan struct{}), proceed: make(chan struct{})}
	ws := &zapcore.BufferedWriteSyncer{WS: out, Size: 8}
	ws.Write([]byte("abcd"))
	var wg sync.WaitGroup
	wg.Go(func() { ws.Write([]byte("efghi")) })
	<-out.begun
	for range 2 {
		wg.Go(func() {
			err := ws.Stop()
			if written := out.String(); err == nil && written != "abcdefghi" {
				t.Errorf("stopped without an error, and %q is written", written)
			}
		})
		time.Sleep(20 * time.Millisecond)
	}
	close(out.proceed)
	wg.Wait()
}
