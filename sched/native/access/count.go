package access

import "sync/atomic"

// This file has the counters of go test -cover -covermode=atomic. Counting is not an operation
// of the program.

// AddUint32 is atomic.AddUint32 without an operation.
func AddUint32(p *uint32, n uint32) uint32 { return atomic.AddUint32(p, n) }

// StoreUint32 is atomic.StoreUint32 without an operation.
func StoreUint32(p *uint32, n uint32) { atomic.StoreUint32(p, n) }
