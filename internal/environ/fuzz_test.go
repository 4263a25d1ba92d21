package environ

import (
	"strings"
	"testing"
	"time"
)

// FuzzCheck sets a variable of any name and value. What Check says of it is one line, and names the variable if it is wrong.
func FuzzCheck(f *testing.F) {
	for _, v := range Variables {
		f.Add(strings.TrimPrefix(v.Name, prefix), "off")
	}
	f.Add("CACHE", "/a\nb")
	f.Add("SAV", "on")
	f.Add("A\nB", "x")
	f.Add("CHECK_TIME", "x")
	f.Fuzz(func(t *testing.T, name, value string) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return // no variable
		}
		name = prefix + name
		t.Setenv(name, value)
		err := Check()
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q=%q: the error has several lines: %q", name, value, err)
		}
		if Known(name) && value == "" && err != nil {
			t.Errorf("%q is as good as not set: %v", name, err)
		}
		if !Known(name) && err == nil {
			t.Errorf("%q is not known, and that is not said", name)
		}
	})
}

// FuzzParseStart reads moments. One that is read is read again from how it is printed.
func FuzzParseStart(f *testing.F) {
	for _, s := range []string{"2024-02-29", "2000-01-01T00:00:00Z", "1950-01-01T00:00:00+23:59", "2200-12-31T23:59:59.999999999Z", "1949-12-31", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseStart(text)
		if err != nil {
			if !at.IsZero() {
				t.Errorf("%q: %v, %v", text, at, err)
			}
			return
		}
		again, err := ParseStart(at.UTC().Format(time.RFC3339Nano))
		if err != nil || !again.Equal(at) {
			t.Errorf("%q is %v, and that %v: %v", text, at, again, err)
		}
	})
}
