package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the JSON of a diagnosis in testdata")

// fill gives each exported field of a value something to show: a slice gets one element, and a
// text the name of the field.
func fill(t *testing.T, v reflect.Value, name string, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				if f.Anonymous {
					*n-- // its fields are those of the value
				}
				fill(t, v.Field(i), f.Name, n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name, n)
	case reflect.String:
		v.SetString("the " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	default:
		t.Fatalf("%s is a %v, which the test cannot fill", name, v.Type())
	}
}

// TestJSONFields compares the JSON of a diagnosis that has everything with the kept one. The file
// shows every field of the format. A field that is renamed or gone needs another Version.
func TestJSONFields(t *testing.T) {
	var d Diagnosis
	fill(t, reflect.ValueOf(&d).Elem(), "", new(int))
	var b bytes.Buffer
	if err := d.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "diagnosis.json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got)\n%s", file, diff)
	}
	var again Diagnosis
	if err := json.Unmarshal(want, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again, cmpopts.IgnoreUnexported(Diagnosis{}, Party{}, Frame{}, Step{})); diff != "" {
		t.Errorf("what is read differs (-written +read)\n%s", diff)
	}
}

// fields adds the fields of a type to those of the objects of the format, by the type's name.
func fields(t *testing.T, all map[string][]string, typ reflect.Type) {
	t.Helper()
	for typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || all[typ.Name()] != nil {
		return
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		if f.Anonymous { // its fields are those of the object
			part := make(map[string][]string)
			fields(t, part, f.Type)
			all[typ.Name()] = append(all[typ.Name()], part[f.Type.Name()]...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(name) {
			t.Errorf("%s.%s is %q in JSON; want lower_snake", typ.Name(), f.Name, name)
		}
		all[typ.Name()] = append(all[typ.Name()], name)
		fields(t, all, f.Type)
	}
}

// TestJSONPage compares the fields of the format with those in docs/json.md, object by object.
func TestJSONPage(t *testing.T) {
	want := make(map[string][]string)
	fields(t, want, reflect.TypeFor[Diagnosis]())
	want["Diagnosis"] = append([]string{"version"}, want["Diagnosis"]...)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, _, _ := strings.Cut(part, "\n")
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(part, -1) {
			got[title] = append(got[title], m[1])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/json.md (-code +page)\n%s", diff)
	}
}

// TestPageFields sees to it that the script of the page reads no field by its name in Go.
func TestPageFields(t *testing.T) {
	_, script, ok := bytes.Cut(page, pageData)
	if !ok {
		t.Fatal("the page has no place for its data")
	}
	all := make(map[string][]string)
	fields(t, all, reflect.TypeFor[Diagnosis]())
	for _, m := range regexp.MustCompile(`\.[A-Z]\w*`).FindAll(script, -1) {
		t.Errorf("the script reads %s", m)
	}
	for _, name := range []string{"diagnosis", "sources", "headline", "goroutines", "steps", "stack", "does"} {
		if !bytes.Contains(script, []byte("."+name)) {
			t.Errorf("the script does not read %s", name)
		}
	}
}
