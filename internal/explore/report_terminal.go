package explore

import (
	"os"
	"strconv"
	"strings"

	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/por/report"
)

// The width of a text, in characters, where no terminal says otherwise, and the least and
// the most that a terminal's width changes it to.
const (
	DefaultWidth = 100
	LeastWidth   = 60
	MostWidth    = 200
)

// Columns is the environment variable that says how wide a terminal is.
const Columns = "COLUMNS"

// ScreenWidth returns the width of the terminal that the process writes to, or what the
// environment says that it is.
func ScreenWidth() int {
	width := DefaultWidth
	if n, err := strconv.Atoi(os.Getenv(Columns)); err == nil && n > 0 {
		width = n
	} else if n := terminal.Columns(os.Stdout); n > 0 {
		width = n
	} else if n := terminal.Columns(os.Stderr); n > 0 {
		width = n
	}
	return min(max(width, LeastWidth), MostWidth)
}

// layout says how reports of the session are to be written: they are indented as the log of
// a test is.
func (s *Session) layout() report.Layout {
	l := report.Layout{Width: ScreenWidth(), Full: s.Cfg.Full}
	if s.Where.Test != "" {
		l.Width -= 4 * (1 + strings.Count(s.Where.Test, "/"))
	}
	return l
}
