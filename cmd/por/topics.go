package main

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/format"
)

// environmentTopic lists the variables of the environment.
func environmentTopic() string {
	var b strings.Builder
	b.WriteString("Variables of the environment. Por refuses others that begin with POR_.\n\n")
	for _, v := range environ.Variables {
		const indent = "        "
		fmt.Fprintf(&b, "  %s (%s)\n%s\n", v.Name, v.Values, format.Wrap(indent, indent, v.Meaning, 80))
	}
	return b.String()
}

// statuses are the exit statuses of por check, and of por test and por replay, which have those
// of go test besides.
var statuses = []struct {
	status  int
	meaning string
}{
	{command.OK, "no test fails"},
	{command.Failed, "a test fails, under some schedules or under all, or has a data race; a package does not compile; or -check.strict asks for more than was explored"},
	{command.Misused, "the command line, or an environment variable, makes no sense"},
	{command.Unfit, "no test fails, and some were not explored; the last lines name them, each with its reason"},
	{command.Interrupted, "interrupted by Ctrl-C; what was explored before has been printed"},
}

// statusTopic lists the exit statuses.
func statusTopic() string {
	var b strings.Builder
	b.WriteString("Exit statuses of por check, por test and por replay:\n\n")
	for _, s := range statuses {
		b.WriteString(format.Wrap(fmt.Sprintf("  %3d  ", s.status), "       ", s.meaning, 80) + "\n")
	}
	b.WriteString("\nPor triage ends with 1 if something is wrong with the test.\n")
	return b.String()
}
