package format

import (
	"slices"
	"strings"
)

// FirstLine returns a line for what was reported in several: the first one that says
// something. Package testify begins with where that was; of its report, the line has what
// the user has said, and what is wrong.
func FirstLine(msg string) string {
	if !strings.Contains(msg, "\n") {
		return msg
	}
	if text := testifyLine(msg); text != "" {
		return text
	}
	for line := range strings.Lines(msg) {
		if line = strings.TrimSpace(line); line != "" {
			return line + " ..."
		}
	}
	return " ..."
}

// testifyLine returns a line for a report of package testify, "" if it is none: labels,
// each with its text on the line and on those that follow, which begin with blanks.
func testifyLine(msg string) string {
	const most = 4 // lines of the error
	parts := make(map[string][]string)
	label := ""
	for line := range strings.Lines(msg) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "\t"); ok && rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			if name, text, ok := strings.Cut(rest, ":"); ok {
				label, line = name, text
			}
		}
		if line = strings.TrimSpace(line); line != "" && label != "" {
			parts[label] = append(parts[label], strings.Join(strings.Fields(line), " "))
		}
	}
	wrong := parts["Error"]
	if len(wrong) == 0 {
		return ""
	}
	if i := slices.Index(wrong, "Diff:"); i > 0 {
		wrong = wrong[:i]
	}
	if len(wrong) > most {
		wrong = append(wrong[:most:most], "...")
	}
	text := strings.Join(wrong, " ")
	if said := parts["Messages"]; len(said) > 0 {
		text = said[0] + ": " + text
	}
	return text
}
