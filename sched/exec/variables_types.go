package exec

import (
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/stack"
)

// This file tells what of the values of a type is kept between executions.

// typeFacts is what matters of a type, and room for copies: a variable may lead to very many values
// of few types.
type typeFacts struct {
	whole   bool   // values are kept as a whole
	refers  bool   // values are kept as a whole, and may lead to others
	foreign bool   // they are of C code, in memory that may be gone
	ranges  bool   // they are of type sync.Map, as rewritten code has it
	std     bool   // values are of type sync.Map, as the standard library has it
	parts   []part // what is kept of one that is not kept as a whole

	room unsafe.Pointer
	size int // of the room, in values
	used int
}

func (k *keeper) factsOf(t reflect.Type) *typeFacts {
	f, ok := k.types[t]
	if !ok {
		facts := k.newFacts(t)
		facts.foreign = strings.HasPrefix(t.Name(), "_Ctype_")
		if !facts.whole {
			facts.ranges = t.PkgPath() == twinOfSync && reflect.PointerTo(t).Implements(rangerType)
			facts.std = t.PkgPath() == quietSync && reflect.PointerTo(t).Implements(storerType)
			facts.parts = k.partsOf(t)
		}
		f = &facts
		k.types[t] = f
	}
	return f
}

// part is a part of a struct or an array: n values of a type.
type part struct {
	offset uintptr
	t      reflect.Type
	n      int
	facts  *typeFacts
}

// partsOf returns what is to be kept of values of a type that are not kept as a whole.
func (k *keeper) partsOf(t reflect.Type) (parts []part) {
	add := func(offset uintptr, t reflect.Type, n int) {
		if f := k.factsOf(t); t.Size() > 0 && n > 0 && !f.foreign && (f.whole || f.ranges || f.std || len(f.parts) > 0) {
			parts = append(parts, part{offset, t, n, f})
		}
	}
	if t.Kind() == reflect.Array {
		add(0, t.Elem(), t.Len())
		return parts
	}
	private := !opaque(t)
	for i := range t.NumField() {
		if f := t.Field(i); private || f.IsExported() {
			add(f.Offset, f.Type, 1)
		}
	}
	return parts
}

// mostRoom is how many bytes there is room for at a time, if that is enough.
const mostRoom = 1 << 14

// take returns memory for n values of type t, one at least, which have a size.
func (f *typeFacts) take(t reflect.Type, n int) unsafe.Pointer {
	if f.size-f.used < n {
		f.size, f.used = max(n, min(2*f.size, mostRoom/int(t.Size()))), 0
		f.room = reflect.MakeSlice(reflect.SliceOf(t), f.size, f.size).UnsafePointer()
	}
	p := unsafe.Add(f.room, uintptr(f.used)*t.Size())
	f.used += n
	return p
}

func (k *keeper) newFacts(t reflect.Type) typeFacts {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan:
		return typeFacts{whole: true, refers: true}
	case reflect.Array:
		of := k.factsOf(t.Elem())
		return typeFacts{whole: of.whole, refers: of.refers}
	case reflect.Struct:
		if t == timeType {
			return typeFacts{whole: true}
		}
		f := typeFacts{whole: !opaque(t), refers: atomicPointee(t) != nil}
		for i := range t.NumField() {
			of := k.factsOf(t.Field(i).Type)
			f.whole, f.refers = f.whole && of.whole, f.refers || of.refers
		}
		return f
	}
	return typeFacts{whole: true}
}

// atomicPointee returns the type that an atomic.Pointer points to, nil if t is none.
func atomicPointee(t reflect.Type) reflect.Type {
	if t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
		return t.Field(0).Type.Elem().Elem()
	}
	return nil
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	rangerType = reflect.TypeFor[ranger]()
	storerType = reflect.TypeFor[storer]()
)

// opaqueFolders are the folders of the standard library with structs that are not
// plain data: they stand for goroutines, files, locks, or what the runtime knows.
var opaqueFolders = map[string]bool{
	"context": true, "crypto": true, "database": true, "internal": true, "iter": true, "net": true, "os": true,
	"plugin": true, "reflect": true, "runtime": true, "sync": true, "syscall": true, "testing": true, "time": true,
	"unique": true, "weak": true,
}

// opaque reports whether structs of a type are left alone but for their exported
// fields. What package strings and its like guard by a Once, or by atomics, is put back, so
// these are, too.
func opaque(t reflect.Type) bool {
	path := t.PkgPath()
	if rest, ours := strings.CutPrefix(path, stack.Module+"/"); ours {
		if rest == "sched/std/internal/quiet/sync" && t.Name() == "Once" || rest == "sched/std/internal/quiet/atomic" {
			return false
		}
		return rest != "sched/std/sync/atomic" && !strings.HasPrefix(rest, "examples/") && !strings.HasSuffix(rest, "_test")
	}
	switch path {
	case "sync/atomic", "net", "net/http", "net/http/cookiejar", "net/http/httptest", "net/http/httputil", "net/netip",
		"net/rpc", "net/smtp", "net/textproto", "net/url", "crypto/tls":
		return false // http.DefaultTransport has connections of the execution
	}
	folder, _, _ := strings.Cut(path, "/")
	return opaqueFolders[folder]
}
