// Package asbytes writes values that are plain data as bytes, which differ if the values do.
package asbytes

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/monotonic"
)

// Number appends a number.
func Number(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

// Truth appends whether something is so.
func Truth(b []byte, is bool) []byte {
	if is {
		return append(b, 1)
	}
	return append(b, 0)
}

// Append appends the type and value of v if it is plain data: booleans, numbers,
// strings, times in UTC, and structs and arrays of the others.
func Append(b []byte, v any) ([]byte, bool) {
	b = binary.LittleEndian.AppendUint64(b, uint64(uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0])))
	switch v := v.(type) {
	case nil:
		return b, true
	case bool:
		return Truth(b, v), true
	case int:
		return Number(b, int64(v)), true
	case int64:
		return Number(b, v), true
	case string:
		return append(Number(b, int64(len(v))), v...), true
	case time.Time:
		date := v.Round(0)
		// The pointer in such a date leads to no other location.
		if local := date.Local(); date == date.UTC() || date == local {
			b = Truth(Number(Number(b, v.Unix()), int64(v.Nanosecond())), date == local)
			at, has := monotonic.Of(v)
			return Number(Truth(b, has), at), true
		}
	}
	return appendFlat(b, reflect.ValueOf(v))
}

func appendFlat(b []byte, v reflect.Value) ([]byte, bool) {
	switch v.Kind() {
	case reflect.Bool:
		return Truth(b, v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Number(b, v.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Number(b, int64(v.Uint())), true
	case reflect.Float32, reflect.Float64:
		return Number(b, int64(math.Float64bits(v.Float()))), true
	case reflect.String:
		return append(Number(b, int64(v.Len())), v.String()...), true
	case reflect.Struct:
		for i := range v.NumField() {
			var ok bool
			if b, ok = appendFlat(b, v.Field(i)); !ok {
				return b, false
			}
		}
		return b, true
	case reflect.Array:
		for i := range v.Len() {
			var ok bool
			if b, ok = appendFlat(b, v.Index(i)); !ok {
				return b, false
			}
		}
		return b, true
	}
	return b, false
}
