package por

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
	defaultWidth = 100
	leastWidth   = 60
	mostWidth    = 200
)

// columns is the environment variable that says how wide a terminal is.
const columns = "COLUMNS"

// screenWidth returns the width of the terminal that the process writes to, or what the
// environment says that it is.
func screenWidth() int {
	width := defaultWidth
	if n, err := strconv.Atoi(os.Getenv(columns)); err == nil && n > 0 {
		width = n
	} else if n := terminal.Columns(os.Stdout); n > 0 {
		width = n
	} else if n := terminal.Columns(os.Stderr); n > 0 {
		width = n
	}
	return min(max(width, leastWidth), mostWidth)
}

// layout says how reports of the session are to be written: they are indented as the log of
// a test is.
func (s *session) layout() report.Layout {
	l := report.Layout{Width: screenWidth(), Full: s.cfg.full}
	if s.where.test != "" {
		l.Width -= 4 * (1 + strings.Count(s.where.test, "/"))
	}
	return l
}
