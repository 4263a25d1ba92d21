package testctx

import (
	"fmt"
	"strings"
	"unicode"
)

// Attribute returns what package testing has to say of an attribute that it does not take, and "" of others.
func Attribute(key, value string) string {
	switch {
	case strings.ContainsFunc(key, unicode.IsSpace):
		return fmt.Sprintf("disallowed whitespace in attribute key %q", key)
	case strings.ContainsAny(value, "\r\n"):
		return fmt.Sprintf("disallowed newline in attribute value %q", value)
	}
	return ""
}
