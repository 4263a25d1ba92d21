package testctx

import (
	"fmt"
	"strings"
	"unicode"
)

// Attribute returns the error message of package testing for an invalid attribute, and "" for a
// valid one.
func Attribute(key, value string) string {
	switch {
	case strings.ContainsFunc(key, unicode.IsSpace):
		return fmt.Sprintf("disallowed whitespace in attribute key %q", key)
	case strings.ContainsAny(value, "\r\n"):
		return fmt.Sprintf("disallowed newline in attribute value %q", value)
	}
	return ""
}
