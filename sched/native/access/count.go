package access

import "sync/atomic"

// This file has what go test -cover -covermode=atomic counts with. To count is no operation of the program.

// AddUint32 is that of sync/atomic.
func AddUint32(p *uint32, n uint32) uint32 { return atomic.AddUint32(p, n) }

// StoreUint32 is that of sync/atomic.
func StoreUint32(p *uint32, n uint32) { atomic.StoreUint32(p, n) }
