package irs

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
)

func TestSaveAndLoad(t *testing.T) {
	p, _ := admissible(t, threeEvents, explored)
	var b bytes.Buffer
	if err := Save(&b, p); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	q, err := Load(strings.NewReader(text), threeEvents)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := Save(&again, q); err != nil || again.String() != text {
		t.Errorf("saved again it is\n%s\nand not\n%s", &again, text)
	}
	if err := judge(closure(t, threeEvents, explored.Sched), q); err != nil {
		t.Error(err)
	}
	for range 200 {
		if err := Run(q, threeEvents); err != nil {
			t.Fatal(err)
		}
	}

	other := func() {
		var a sched.Var[int]
		sched.Go(func() {
			a.Store(1)
			a.Store(2)
		})
		sched.Go(func() { a.Load() })
	}
	for _, k := range []struct {
		name, text string
		f          func()
		want       string
	}{
		{"truncated", text[:len(text)-10], threeEvents, "truncated"},
		{"no body", text[:20], threeEvents, "does not begin"},
		{"empty", "", threeEvents, "does not begin"},
		{"edited", strings.Replace(text, `"Cut": 2`, `"Cut": 1`, 1), threeEvents, "checksum"},
		{"longer", text + " ", threeEvents, "checksum"},
		{"later format", strings.Replace(text, "format 1", "format 2", 1), threeEvents, "its format is 2"},
		{"other places", text, other, "file_test.go"},
		{"other operations", text, func() { new(sched.Mutex).Lock() }, "another program"},
		{"less", text, func() {}, "another program"},
		{"more", text, func() { threeEvents(); new(sched.Mutex).TryLock() }, "another program"},
	} {
		if k.text == text && k.name == "edited" {
			t.Fatal("the text was not edited")
		}
		_, err := Load(strings.NewReader(k.text), k.f)
		if err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: the error is %v, want %q", k.name, err, k.want)
		}
	}
}
