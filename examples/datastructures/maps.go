package datastructures

import "sync"

// coarseMap is a hash map under one lock. Its buckets are sorted lists.
type coarseMap struct {
	mu      sync.Mutex
	buckets [2]*listNode
	hasty   func(key int) bool
}

func newCoarseMap(hasty func(int) bool) *coarseMap {
	m := &coarseMap{hasty: hasty}
	for i := range m.buckets {
		m.buckets[i] = newList()
	}
	return m
}

// Do implements [Structure]. A hasty one takes the lock after it has found the place.
func (m *coarseMap) Do(c Call) Result {
	bucket := m.buckets[c.Key%len(m.buckets)]
	if m.hasty(c.Key) {
		before, at := find(bucket, c.Key)
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.use(c, before, at)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before, at := find(bucket, c.Key)
	return m.use(c, before, at)
}

func (m *coarseMap) use(c Call, before, at *listNode) Result {
	if c.Op == Contains {
		return Result{OK: at.key == c.Key}
	}
	return change(c, before, at)
}

// syncMap is a set of the keys of a [sync.Map].
type syncMap struct {
	m     sync.Map
	hasty func(key int) bool
}

func newSyncMap(hasty func(int) bool) *syncMap { return &syncMap{hasty: hasty} }

// Do implements [Structure]. A hasty one looks, and then acts.
func (m *syncMap) Do(c Call) Result {
	_, found := false, false
	switch {
	case c.Op == Contains:
		_, found = m.m.Load(c.Key)
		return Result{OK: found}
	case m.hasty(c.Key):
		if _, found = m.m.Load(c.Key); found == (c.Op == Add) {
			return Result{}
		}
		if c.Op == Add {
			m.m.Store(c.Key, true)
		} else {
			m.m.Delete(c.Key)
		}
		return Result{OK: true}
	case c.Op == Add:
		_, found = m.m.LoadOrStore(c.Key, true)
		return Result{OK: !found}
	}
	_, found = m.m.LoadAndDelete(c.Key)
	return Result{OK: found}
}
