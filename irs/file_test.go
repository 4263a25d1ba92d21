package irs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"edited", strings.Replace(text, `"cut": 2`, `"cut": 1`, 1), threeEvents, "checksum"},
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

// TestLoadCapitals reads a file of before, with the names that its fields have in Go.
func TestLoadCapitals(t *testing.T) {
	p, _ := admissible(t, threeEvents, explored)
	var b bytes.Buffer
	if err := Save(&b, p); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "\n")
	before := body
	for _, typ := range []reflect.Type{reflect.TypeFor[saved](), reflect.TypeFor[savedEvent]()} {
		for i := range typ.NumField() {
			f := typ.Field(i)
			before = strings.ReplaceAll(before, `"`+f.Tag.Get("json")+`":`, `"`+f.Name+`":`)
		}
	}
	if !strings.Contains(before, `"Goroutines":`) || !strings.Contains(before, `"Place":`) {
		t.Fatalf("the names are not those of before:\n%s", before)
	}
	q, err := Load(strings.NewReader(fmt.Sprintf(header+"%s", formatVersion, len(before), sha256.Sum256([]byte(before)), before)), threeEvents)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := Save(&again, q); err != nil || again.String() != b.String() {
		t.Errorf("%v (-want +got)\n%s", err, cmp.Diff(b.String(), again.String()))
	}
}
