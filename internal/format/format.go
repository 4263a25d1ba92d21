// Package format formats numbers and times for readers.
package format

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Counted returns a number with its noun: "1 step", "1,234 steps".
func Counted(n int64, noun string) string {
	noun = strings.TrimSuffix(noun, "s")
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped returns a number with commas: "1,234".
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Time formats a duration with about three digits.
func Time(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// Pad fills s with blanks up to the width.
func Pad(s string, width int) string {
	if n := width - utf8.RuneCountInString(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// Indent returns the lines of a text, each behind four blanks, and a newline.
func Indent(text string) string {
	text = strings.TrimRight(text, "\n")
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
