package sync

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// A Map is a sync.Map, and under control a sched.Map. At the start of every execution it has
// the entries that were put into it outside.
type Map struct {
	_ [0]func() // it is not comparable
	words
	real atomic.Pointer[sync.Map] // nil if it was not used outside
	_    [(unsafe.Sizeof(sync.Map{})-8)/unsafe.Sizeof(uintptr(0)) - 1]uintptr
}

func (m *Map) native() *sync.Map { return made(&m.real, func() *sync.Map { return new(sync.Map) }) }

// under returns the Map of the execution. The argument clears says that the use is a Clear.
func (m *Map) under(clears bool) *sched.Map {
	g, s, fresh := hook.Meet(m.key())
	if fresh {
		if real := m.real.Load(); real != nil {
			hook.Serve(func() { hook.AdoptMap(m.key(), contents(real)) })
		}
	}
	if g != nil {
		s.Touch(g, unsafe.Pointer(m.key()), clears)
	}
	return m.ctl()
}

// contents returns the keys and values of m in the order of the keys as text. The order is the
// same in every process, unless keys look alike or have pointers.
func contents(m *sync.Map) (pairs [][2]any) {
	m.Range(func(k, v any) bool {
		pairs = append(pairs, [2]any{k, v})
		return true
	})
	if len(pairs) > 1 {
		text := make(map[any]string, len(pairs))
		for _, p := range pairs {
			// fmt calls no methods of values that it reaches through such a field.
			text[p[0]] = fmt.Sprintf("%T%v", p[0], struct{ v any }{p[0]})
		}
		slices.SortFunc(pairs, func(a, b [2]any) int { return strings.Compare(text[a[0]], text[b[0]]) })
	}
	return pairs
}

// Load returns the value for key, and whether there is one.
func (m *Map) Load(key any) (value any, ok bool) {
	if controls(m.key()) {
		return m.under(false).Load(key)
	}
	return m.native().Load(key)
}

// Store sets the value for key.
func (m *Map) Store(key, value any) {
	if controls(m.key()) {
		m.under(false).Store(key, value)
		return
	}
	m.native().Store(key, value)
}

// LoadOrStore returns the value for key and true, or stores value and returns
// it.
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	if controls(m.key()) {
		return m.under(false).LoadOrStore(key, value)
	}
	return m.native().LoadOrStore(key, value)
}

// LoadAndDelete deletes key, and returns its value and whether there was one.
func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	if controls(m.key()) {
		return m.under(false).LoadAndDelete(key)
	}
	return m.native().LoadAndDelete(key)
}

// Delete deletes key.
func (m *Map) Delete(key any) {
	if controls(m.key()) {
		m.under(false).Delete(key)
		return
	}
	m.native().Delete(key)
}

// Swap sets the value for key, and returns the previous one and whether there
// was one.
func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	if controls(m.key()) {
		return m.under(false).Swap(key, value)
	}
	return m.native().Swap(key, value)
}

// CompareAndSwap sets the value for key to new if it is old, and reports
// whether it was.
func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	if controls(m.key()) {
		return m.under(false).CompareAndSwap(key, old, new)
	}
	return m.native().CompareAndSwap(key, old, new)
}

// CompareAndDelete deletes key if its value is old, and reports whether it was.
func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	if controls(m.key()) {
		return m.under(false).CompareAndDelete(key, old)
	}
	return m.native().CompareAndDelete(key, old)
}

// Range calls f for each key and value, until f returns false.
func (m *Map) Range(f func(key, value any) bool) {
	if controls(m.key()) {
		m.under(false).Range(f)
		return
	}
	m.native().Range(f)
}

// Clear deletes all keys.
func (m *Map) Clear() {
	if controls(m.key()) {
		m.under(true).Clear()
		return
	}
	m.native().Clear()
}
