package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gopor/gopor/internal/record"
)

// say prints the summary: to standard error, or among the events if -json asks for these. There what
// is on standard error is an error to those that read the events.
func (c *testCommand) say(e env, s *record.Summary, lost []string) {
	text := s.String()
	if len(lost) > 0 {
		if text != "" {
			text += "\n"
		}
		text += fmt.Sprintf("  from the cache of go test, with no verdict kept: %s (-count=1 runs the tests again)", strings.Join(lost, " "))
	}
	if text == "" {
		return
	}
	text = s.Table() + "por: " + strings.TrimPrefix(text, "  ") + "\n"
	if !c.json {
		io.WriteString(e.err, text)
		return
	}
	encoder := json.NewEncoder(e.out)
	for line := range strings.Lines(text) {
		encoder.Encode(event{Time: time.Now(), Action: "output", Output: line})
	}
}

// event is one of those that go test -json prints. One without a package is of the command itself.
type event struct {
	Time   time.Time
	Action string
	Output string
}

// shared is a writer for several goroutines.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
