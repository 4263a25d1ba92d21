package machine

import "unsafe"

// ShadowOf returns what stands for the native object at p in the running execution, nil if
// nothing does yet.
func (m *Machine) ShadowOf(p unsafe.Pointer) any {
	t := &m.Outside.shadows
	if m.Parallel != nil {
		m.Parallel.shadowing.Lock()
		defer m.Parallel.shadowing.Unlock()
		t = &m.Parallel.shadows
	}
	if t.Epoch == m.Epoch {
		if v := t.Find(p); v != nil {
			return *v
		}
	}
	return nil
}

// SetShadow lets v stand for the native object at p in the running execution; if something
// else does already, only if that is to be replaced. It returns what stands for it then.
func (m *Machine) SetShadow(p unsafe.Pointer, v any, replace bool) any {
	t := &m.Outside.shadows
	if m.Parallel != nil {
		m.Parallel.shadowing.Lock()
		defer m.Parallel.shadowing.Unlock()
		t = &m.Parallel.shadows
	}
	t.Turn(m.Epoch)
	s, fresh := t.At(p)
	if fresh || replace || m.Parallel == nil {
		*s = v
	}
	return *s
}
