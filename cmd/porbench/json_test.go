package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldsOf returns the names of the fields of an object in JSON, those of objects inside included.
func fieldsOf(typ reflect.Type) (all []string) {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous && f.Tag == "" { // its fields are those of the object
			all = append(all, fieldsOf(f.Type)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "-" {
			all = append(append(all, name), fieldsOf(f.Type)...)
		}
	}
	return all
}

// TestJSONPage compares the fields of what -json prints with those that docs/bench/json.md lists.
func TestJSONPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "bench", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n## ")[1:]
	objects := []any{result{}, rowResult{}, statefulRun{}, cost{}}
	if len(parts) != len(objects) {
		t.Fatalf("the page has %d parts for %d objects", len(parts), len(objects))
	}
	for i, o := range objects {
		var listed []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(parts[i], -1) {
			listed = append(listed, m[1])
		}
		fields := append(fieldsOf(reflect.TypeOf(o)), "version")
		slices.Sort(fields)
		slices.Sort(listed)
		if diff := cmp.Diff(slices.Compact(fields), slices.Compact(listed)); diff != "" {
			t.Errorf("%T (-code +page)\n%s", o, diff)
		}
	}
}

// TestJSONVersion writes an object of each kind: the version is the first field, and the line ends.
func TestJSONVersion(t *testing.T) {
	for _, o := range []any{&result{subject: subject{Program: "p"}}, rowResult{}, statefulRun{}, cost{}} {
		var b bytes.Buffer
		if err := writeJSON(&b, o); err != nil {
			t.Fatal(err)
		}
		if got := object(t, b.String()); got["version"] != 1.0 || !strings.HasPrefix(b.String(), `{"version":1,"`) || strings.Count(b.String(), "\n") != 1 {
			t.Errorf("%s", &b)
		}
	}
}
