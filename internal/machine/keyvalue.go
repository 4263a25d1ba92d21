package machine

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/monotonic"
)

// valued is an object that holds a Go value.
type valued interface{ value() any }

// value returns the identity of a value that the event by has written: of the value, if
// it is plain data.
func (k *Keys) value(v any, by identity) identity {
	if b, ok := appendPlain(make([]byte, 0, 32), v); ok {
		return k.identify(append(b, 'v'))
	}
	return k.writtenBy(by)
}

// writtenBy returns the identity of a value that is known by the event that has written it.
func (k *Keys) writtenBy(by identity) identity {
	if by == loops {
		k.lacks("a value that is not plain data, of a goroutine that has called sched.Loop")
	}
	return k.identify(append(by.append(make([]byte, 0, 32)), 'w'))
}

// appendPlain appends the type and value of v if it is plain data: booleans, numbers,
// strings, times in UTC, and structs and arrays of the others.
func appendPlain(b []byte, v any) ([]byte, bool) {
	b = binary.LittleEndian.AppendUint64(b, uint64(uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0])))
	switch v := v.(type) {
	case nil:
		return b, true
	case bool:
		return appendTruth(b, v), true
	case int:
		return appendNumber(b, int64(v)), true
	case int64:
		return appendNumber(b, v), true
	case string:
		return append(appendNumber(b, int64(len(v))), v...), true
	case time.Time:
		date := v.Round(0)
		// The pointer in such a date leads to no other location.
		if local := date.Local(); date == date.UTC() || date == local {
			b = appendTruth(appendNumber(appendNumber(b, v.Unix()), int64(v.Nanosecond())), date == local)
			at, has := monotonic.Of(v)
			return appendNumber(appendTruth(b, has), at), true
		}
	}
	return appendFlat(b, reflect.ValueOf(v))
}

func appendFlat(b []byte, v reflect.Value) ([]byte, bool) {
	switch v.Kind() {
	case reflect.Bool:
		return appendTruth(b, v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendNumber(b, v.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return appendNumber(b, int64(v.Uint())), true
	case reflect.Float32, reflect.Float64:
		return appendNumber(b, int64(math.Float64bits(v.Float()))), true
	case reflect.String:
		return append(appendNumber(b, int64(v.Len())), v.String()...), true
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
