package natively

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/stack"
)

// marker begins the lines of package testing under -test.v=test2json. It tells them from output
// of the test itself.
const marker = "\x16"

// errorBegins and errorEnds enclose the text of a test's Error calls, since Go 1.27.
const (
	errorBegins = "\x0f"
	errorEnds   = "\x0e"
)

// read returns the outcome of a test from the output of its program. The program has ended with
// err, or was killed if ended is false.
func read(test, out string, err error, ended bool) Outcome {
	name := regexp.QuoteMeta(test)
	begun := regexp.MustCompile(marker + `=== RUN +` + name + `\n`).FindStringIndex(out)
	result := regexp.MustCompile(marker + ` *--- (PASS|SKIP|FAIL): ` + name + ` \(`).FindStringSubmatch(out)
	verdict := ""
	if result != nil {
		verdict = result[1]
	}
	switch {
	case verdict == "PASS":
		return Outcome{Result: Passes}
	case verdict == "SKIP":
		return Outcome{Result: Skips}
	case begun == nil && !ended:
		return Outcome{Says: "the test program did not begin with the test in time"}
	case begun == nil:
		reason := "it ended with success"
		if err != nil {
			reason = firstLine(out, err.Error())
		}
		return Outcome{Says: "the test program did not run the test: " + reason}
	}
	own := out[begun[1]:]
	if i := strings.Index(own, timedOut); !ended || i >= 0 {
		return Outcome{Result: Hangs, Waits: waits(own[max(i, 0):])}
	}
	if verdict == "" && err == nil {
		return Outcome{Says: "the test program ended with success, without a result of the test"}
	}
	return Outcome{Result: Fails, Says: failure(own, err)}
}

// timedOut begins the message of a test program that has reached the limit of -test.timeout.
const timedOut = "panic: test timed out after "

// The lines that may have the reason of a failure. Before Go 1.27, logged lines look like
// errors; the last one is most likely an error.
var (
	ending  = regexp.MustCompile(`(?m)^\x16?(panic: .*|fatal error: .*)$`)
	logging = regexp.MustCompile(`(?m)^\x16? +\S+\.go:\d+: .*$`)
	erring  = regexp.MustCompile(`(?m)^\x16?` + errorBegins + ` +\S+\.go:\d+: .*$`)
	labels  = regexp.MustCompile(`^(Error Trace|Error|Diff|Test|Messages):`)
)

// below returns the first line with text below a message that begins with an empty line.
// Reports of package testify begin that way and have labels; below returns their error.
func below(out string) string {
	const most = 4 // lines of the error
	var wrong []string
	label := ""
	for line := range strings.Lines(strings.TrimPrefix(out, "\n")) {
		if !strings.HasPrefix(line, "        ") {
			break
		}
		line = strings.Join(strings.Fields(strings.ReplaceAll(line, errorEnds, "")), " ")
		if l := labels.FindString(line); l != "" {
			label, line = l, strings.TrimSpace(line[len(l):])
		}
		switch {
		case line == "":
		case label == "":
			return line
		case label == "Error:" && len(wrong) < most:
			wrong = append(wrong, line)
		}
	}
	return strings.Join(wrong, " ")
}

// failure returns the line with the reason why a test has failed.
func failure(out string, err error) string {
	if m := ending.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	for _, saying := range []*regexp.Regexp{erring, logging} {
		all := saying.FindAllStringIndex(out, -1)
		if all == nil {
			continue
		}
		at := all[len(all)-1]
		line := strings.Trim(out[at[0]:at[1]], marker+errorBegins+errorEnds+" ")
		if strings.HasSuffix(line, ":") {
			line = strings.TrimSpace(line + " " + below(out[at[1]:]))
		}
		return line
	}
	if err != nil {
		return err.Error()
	}
	return "it says nothing of the reason"
}

// waits returns the wait state of the test function as the runtime has written it, "" if that
// is unknown.
func waits(out string) string {
	for _, g := range stack.Parse(out) {
		calls := func(name string) bool {
			return slices.ContainsFunc(g.Frames, func(f stack.Frame) bool { return f.Function == name && !f.Created })
		}
		// The function does not wait for a subtest.
		if calls("testing.tRunner") && !calls("testing.(*T).Run") {
			if w := g.Waits(); w != "running" && w != "runnable" {
				return w
			}
		}
	}
	return ""
}

// unmarked removes the markers of package testing from a text.
var unmarked = strings.NewReplacer(marker, "", errorBegins, "", errorEnds, "")

// firstLine returns the first line of a text that is not empty or a heading, and other if there
// is none.
func firstLine(out, other string) string {
	for line := range strings.Lines(unmarked.Replace(out)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return other
}

// pattern returns the -run flag that selects exactly one test.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
