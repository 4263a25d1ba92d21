package history

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// appendPlain appends what tells a value apart from others, if that is plain data: booleans,
// numbers, strings, and structs, arrays, slices and maps of these.
func appendPlain(b []byte, v any) ([]byte, bool) {
	if v == nil {
		return append(b, 0), true
	}
	r := reflect.ValueOf(v)
	t := r.Type()
	b = append(append(append(b, t.PkgPath()...), '.'), t.String()...)
	return appendPlainValue(append(b, 0), r)
}

func appendPlainValue(b []byte, v reflect.Value) ([]byte, bool) {
	ok := true
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1), true
		}
		return append(b, 0), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(b, v.Uint()), true
	case reflect.Float32, reflect.Float64:
		return binary.AppendUvarint(b, math.Float64bits(v.Float())), true
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...), true
	case reflect.Struct:
		for i := 0; i < v.NumField() && ok; i++ {
			b, ok = appendPlainValue(b, v.Field(i))
		}
		return b, ok
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return append(b, 'n'), true
		}
		b = binary.AppendUvarint(append(b, 's'), uint64(v.Len()))
		for i := 0; i < v.Len() && ok; i++ {
			b, ok = appendPlainValue(b, v.Index(i))
		}
		return b, ok
	case reflect.Map:
		return appendPlainMap(b, v)
	case reflect.Pointer, reflect.Func, reflect.Chan:
		return append(b, 'n'), v.IsNil()
	case reflect.Interface:
		if v.IsNil() {
			return append(b, 'n'), true
		}
		e := v.Elem()
		b = append(append(append(b, e.Type().PkgPath()...), '.'), e.Type().String()...)
		return appendPlainValue(append(b, 0), e)
	}
	return b, false
}

func appendPlainMap(b []byte, v reflect.Value) ([]byte, bool) {
	if v.IsNil() {
		return append(b, 'n'), true
	}
	var entries []string
	for it := v.MapRange(); it.Next(); {
		e, ok := appendPlainValue(nil, it.Key())
		if ok {
			e, ok = appendPlainValue(e, it.Value())
		}
		if !ok {
			return b, false
		}
		entries = append(entries, string(e))
	}
	slices.Sort(entries)
	b = binary.AppendUvarint(append(b, 'm'), uint64(len(entries)))
	for _, e := range entries {
		b = append(binary.AppendUvarint(b, uint64(len(e))), e...)
	}
	return b, true
}
