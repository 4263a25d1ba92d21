// Package terminal shows how far something is on the terminal of whoever has started it,
// wherever the output goes: the go command keeps that of tests to itself.
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

// open is the terminal of the process, once it was asked for.
var open = sync.OnceValue(func() *os.File {
	if os.Getenv("CI") != "" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return device()
})

// Open returns the terminal that the process was started from, nil if there is none, if
// the process is in the background, or where nobody looks: in CI, or if TERM is dumb. To
// open it is cheap after the first time.
func Open() *Screen {
	f := open()
	if f == nil || !foreground(f) {
		return nil
	}
	return &Screen{f: f}
}

// Show puts a text in place of the one before, cut to the width of the terminal. What
// others write next goes over it.
func (s *Screen) Show(text string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = true
	s.f.WriteString("\r\x1b[K" + cut(text, cmp.Or(Columns(s.f), 80)-1) + "\r")
}

// Say wipes the line and writes a text that stays.
func (s *Screen) Say(text string) {
	if s == nil {
		return
	}
	s.Wipe()
	s.f.WriteString(strings.TrimSuffix(text, "\n") + "\n")
}

// Wipe takes the text away.
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

// While shows what text returns, every second, from two seconds on, until the function that
// it returns is called. The text is asked for, and told how long it has been, even if there
// is no terminal.
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
