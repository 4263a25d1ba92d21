package spell

import "testing"

func TestWord(t *testing.T) {
	words := []string{"test", "triage", "replay", "check", "check.time", "check.steps", "check.memory"}
	for word, want := range map[string]string{
		"tset": "test", "tets": "test", "tes": "test", "test": "test", "TEST": "test", "tst": "test", "toast": "",
		"traige": "triage", "reply": "replay", "chek.time": "check.time", "check.tme": "check.time", "check.mem": "check.memory", "check.": "check", "t": "", "tr": "triage",
		"check.step": "check.steps", "chck": "check", "time": "", "": "", "x": "", "wholly different": "",
	} {
		if got := Word(word, words); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Mean("-", "check.tme", words); got != "; did you mean -check.time?" {
		t.Error(got)
	}
	if got := Mean("-", "x", words); got != "" {
		t.Error(got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"ä", "a", 1}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
