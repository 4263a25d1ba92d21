package format

import (
	"fmt"
	"reflect"
	"time"
)

// Value returns a value of a program as text. It calls no methods of the program's types,
// which might use primitives, and does not look behind pointers.
func Value(v any) string {
	switch v := v.(type) {
	case nil, time.Duration:
		return fmt.Sprint(v)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.Map, reflect.UnsafePointer:
		if r.IsNil() {
			return "nil"
		}
		return r.Type().String()
	}
	// Methods are not called on what was reached through a field like this.
	text := fmt.Sprint(struct{ v any }{v})
	return text[1 : len(text)-1]
}

// LeakMessage is the message of the failure that n goroutines are leaked.
func LeakMessage(n int) string {
	if n == 1 {
		return "a goroutine still waits when all others have finished"
	}
	return fmt.Sprintf("%d goroutines still wait when all others have finished", n)
}
