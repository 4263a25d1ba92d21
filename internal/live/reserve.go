package live

import "unsafe"

// A Reserve has the values that a goroutine has put into pools of the standard library, such as the
// buffers of package fmt. The goroutine gets only these, so pools order no goroutines.
type Reserve struct {
	all [mostReserved]reserved // the oldest first
	n   int
}

type reserved struct {
	pool  unsafe.Pointer
	value any
}

// mostReserved is how many values a goroutine has in all pools. A goroutine rarely uses more than
// two pools again and again, and holds its values until it ends.
const mostReserved = 4

// Put puts a value into a pool. If there are too many values the oldest one is dropped.
func (r *Reserve) Put(pool unsafe.Pointer, value any) {
	if r.n == mostReserved {
		r.remove(0)
	}
	r.all[r.n] = reserved{pool, value}
	r.n++
}

// Get takes the value that was put last into a pool, nil if there is none.
func (r *Reserve) Get(pool unsafe.Pointer) any {
	for i := r.n - 1; i >= 0; i-- {
		if of := r.all[i]; of.pool == pool {
			r.remove(i)
			return of.value
		}
	}
	return nil
}

func (r *Reserve) remove(i int) {
	r.n--
	copy(r.all[i:], r.all[i+1:])
	r.all[r.n] = reserved{}
}
