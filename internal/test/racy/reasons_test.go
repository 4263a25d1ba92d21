package racy

import "regexp"

// reason is one for which the judges say different things about a program that has
// something in its text.
type reason struct {
	name         string
	found, shown answer
	text         *regexp.Regexp
	why          string
}

var reasons = []reason{}

// explain returns the reason why answers differ, if there is one.
func explain(text string, found, shown answer) *reason {
	for i, r := range reasons {
		if r.found == found && r.shown == shown && r.text.MatchString(text) {
			return &reasons[i]
		}
	}
	return nil
}
