package testing

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// patterns caches compiled patterns.
var patterns sync.Map

// matches reports whether a pattern of the flag -run or -skip matches a test's name, level by
// level. If partial is set, a test with fewer levels than the pattern may match. Otherwise it
// needs at least as many.
func matches(pattern, name string, partial bool) bool {
	for _, alternative := range split(pattern, '|') {
		levels := split(alternative, '/')
		parts := strings.Split(name, "/")
		if !partial && len(parts) < len(levels) {
			continue
		}
		ok := true
		for i := 0; i < min(len(levels), len(parts)) && ok; i++ {
			ok = matchLevel(levels[i], parts[i])
		}
		if ok {
			return true
		}
	}
	return false
}

func matchLevel(pattern, part string) bool {
	pattern = rewrite(pattern)
	re, ok := patterns.Load(pattern)
	if !ok {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return false // package testing has reported it
		}
		re, _ = patterns.LoadOrStore(pattern, compiled)
	}
	return re.(*regexp.Regexp).MatchString(part)
}

// split splits a pattern at the separators outside of brackets and parentheses.
func split(pattern string, sep byte) []string {
	var parts []string
	square, round, from := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(0, square-1)
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round--
		case c == sep && square == 0 && round == 0:
			parts = append(parts, pattern[from:i])
			from = i + 1
		}
	}
	return append(parts, pattern[from:])
}

// rewrite returns a name for use on a command line: without spaces and unprintable characters.
func rewrite(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('_')
		case !unicode.IsPrint(r):
			q := fmt.Sprintf("%+q", r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// subname returns the full and unique name of a subtest.
func (t *executed) subname(name string) string {
	if t.names == nil {
		t.names = make(map[string]int)
	}
	name = rewrite(name)
	n := t.names[name]
	t.names[name]++
	if n > 0 || name == "" {
		unique := fmt.Sprintf("%s#%02d", name, n)
		if t.names[unique] > 0 {
			return t.subname(name)
		}
		t.names[unique]++
		name = unique
	}
	return t.name + "/" + name
}
