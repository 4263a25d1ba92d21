package sync

// The methods of this file are what rewritten code calls where nobody is controlled,
// and it knows that: Gopor__Lock in place of Lock. They cost what the originals do.
// Other methods have no such form, since they would be too large to be inlined.

func (m *Mutex) Gopor__Lock()         { m.real.Lock() }
func (m *Mutex) Gopor__TryLock() bool { return m.real.TryLock() }
func (m *Mutex) Gopor__Unlock()       { m.real.Unlock() }

func (rw *RWMutex) Gopor__Lock()          { rw.real.Lock() }
func (rw *RWMutex) Gopor__TryLock() bool  { return rw.real.TryLock() }
func (rw *RWMutex) Gopor__Unlock()        { rw.real.Unlock() }
func (rw *RWMutex) Gopor__RLock()         { rw.real.RLock() }
func (rw *RWMutex) Gopor__TryRLock() bool { return rw.real.TryRLock() }
func (rw *RWMutex) Gopor__RUnlock()       { rw.real.RUnlock() }

func (o *Once) Gopor__Do(f func()) {
	if !o.done.Load() {
		o.first(f)
	}
}
