package picture

import "fmt"

// The colours of a drawing.
const (
	causeColour    = "#57606a"
	conflictColour = "#d1242f"
)

// colours has the colours of a goroutine.
type colours struct{ band, fill, line string }

var palette = []colours{
	{"#f1f6fd", "#dbe9fb", "#2f6db5"},
	{"#f1f8f1", "#daf0dc", "#2e7d38"},
	{"#fdf5ec", "#fbe6cd", "#b06a14"},
	{"#f7f2fb", "#ebdff5", "#7b4ba3"},
	{"#eff8f8", "#d3eeee", "#1b7a80"},
	{"#fcf2f6", "#f8dce8", "#ad3f73"},
	{"#f7f7ec", "#ecebc8", "#76731c"},
	{"#f4f4f6", "#e3e4ea", "#545b70"},
}

func colourOf(thread int) colours { return palette[thread%len(palette)] }

// caption returns the lines above a drawing.
func (p *Picture) caption() []string {
	text := fmt.Sprintf("%s, %s%s", counted(len(p.Events), "event"), counted(len(p.Maximal), "maximal configuration"), p.failing())
	if p.Title != "" {
		text = p.Title + ": " + text
	}
	if p.Highlight == 0 {
		return []string{text}
	}
	m := &p.Maximal[p.Highlight-1]
	shown := fmt.Sprintf("configuration %d of %d: %s", p.Highlight, len(p.Maximal), counted(len(m.Events), "event"))
	for _, f := range m.Failures {
		shown += ", " + f
	}
	return []string{text, shown}
}

// failing returns text about the maximal configurations that fail.
func (p *Picture) failing() string {
	const most = 5
	count, numbers := 0, ""
	for i, m := range p.Maximal {
		if len(m.Failures) == 0 {
			continue
		}
		switch count++; {
		case count == 1:
			numbers = fmt.Sprint(i + 1)
		case count <= most:
			numbers += fmt.Sprint(", ", i+1)
		case count == most+1:
			numbers += ", ..."
		}
	}
	switch count {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (number %s fails)", numbers)
	}
	return fmt.Sprintf(" (%d fail: %s)", count, numbers)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// highlighted reports, for every event, whether it belongs to the highlighted configuration. It
// returns nil if there is none.
func (p *Picture) highlighted() ([]bool, error) {
	switch n := len(p.Maximal); {
	case p.Highlight < 0 || p.Highlight > n:
		return nil, fmt.Errorf("picture: Highlight is %d, but the number of a maximal configuration has to be in 1..%d", p.Highlight, n)
	case p.Highlight == 0:
		return nil, nil
	}
	in := make([]bool, len(p.Events))
	for _, e := range p.Maximal[p.Highlight-1].Events {
		in[e] = true
	}
	return in, nil
}
