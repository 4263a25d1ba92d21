package format

import (
	"fmt"
	"strconv"
	"strings"
)

// DifferentLog says how the logs of an execution and of its repetition differ, "" if they do not.
func DifferentLog(first, second string) string {
	if first == second {
		return ""
	}
	a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	line := func(lines, others []string) string {
		if i >= len(lines) || i == len(lines)-1 && lines[i] == "" {
			return "nothing"
		}
		if i >= len(others) {
			return excerpt(lines[i], 0)
		}
		at := 0
		for at < min(len(lines[i]), len(others[i])) && lines[i][at] == others[i][at] {
			at++
		}
		return excerpt(lines[i], at)
	}
	return fmt.Sprintf("the first execution logged %s in line %d, and when it was run once more, %s", line(a, b), i+1, line(b, a))
}

// excerpt quotes what is at a place of a line, and some of what is around it.
func excerpt(line string, at int) string {
	const before, after = 60, 40
	head, tail := "", ""
	if at > before {
		line, at, head = line[at-before:], before, "..."
	}
	if at+after < len(line) {
		line, tail = line[:at+after], "..."
	}
	return head + strconv.Quote(strings.ToValidUTF8(line, "")) + tail
}
