// Package terminal shows progress on the terminal of the process, even if the output is
// redirected, as by the go command for tests.
package terminal

import (
	"cmp"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Screen is one line of a terminal. A nil Screen shows nothing.
type Screen struct {
	f     *os.File
	mu    sync.Mutex
	shown bool
}

// open is the terminal of the process. The first call opens it.
var open = sync.OnceValue(func() *os.File {
	if os.Getenv("CI") != "" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return device()
})

// Open returns the terminal that the process was started from. It returns nil if there is none,
// if the process is in the background, in CI, and if TERM is dumb. Calls after the first are
// cheap.
func Open() *Screen {
	f := open()
	if f == nil || !foreground(f) {
		return nil
	}
	return &Screen{f: f}
}

// Show replaces the text of the line, cut to the width of the terminal. The next output of
// other processes overwrites it.
func (s *Screen) Show(text string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = true
	s.f.WriteString("\r\x1b[K" + cut(text, cmp.Or(Columns(s.f), 80)-1) + "\r")
}

// Say clears the line and writes permanent text.
func (s *Screen) Say(text string) {
	if s == nil {
		return
	}
	s.Wipe()
	s.f.WriteString(strings.TrimSuffix(text, "\n") + "\n")
}

// Wipe clears the line.
func (s *Screen) Wipe() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		s.f.WriteString("\r\x1b[K")
	}
	s.shown = false
}

func cut(text string, width int) string {
	if width < 10 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-3]) + "..."
}

// While shows the result of text once per second, beginning after two seconds, until the
// returned function is called. It calls text, with the time passed, even if there is no
// terminal.
func (s *Screen) While(text func(time.Duration) string) (end func()) {
	begin := time.Now()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				s.Wipe()
				return
			case now := <-tick.C:
				if d := now.Sub(begin); d >= 2*time.Second {
					s.Show(text(d))
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
