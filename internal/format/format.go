// Package format formats numbers, times and lines for readers.
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

// Quoted quotes a word for a shell, if need be.
func Quoted(word string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-+=./:,@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Wrap returns a text in as many lines as it takes. The first one begins with the text first, and
// each of the others with the text rest. No line is longer than width, unless a word is.
func Wrap(first, rest, text string, width int) string {
	var b strings.Builder
	line := first
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			b.WriteString(line + "\n")
			line = rest
		default:
			line += " "
		}
		line += word
	}
	return b.String() + line
}
