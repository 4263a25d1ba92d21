package trace

// The access modes. The table below says which of them depend on each other when they meet on
// one object. Every engine, the oracle and the happens-before relation use this table only. For
// every pair that the table calls independent, a test performs both orders from random states.
// For every other pair it finds a state that shows the difference.
const (
	// Variables, plain and atomic.
	ModeRead  Mode = iota
	ModeWrite      // may change the value; a CAS that would fail now is a read

	// Locks. Requests are granted in the order in which they are made.
	ModeAcquire  // Lock of a Mutex or RWMutex
	ModeShare    // RLock
	ModeRelease  // Unlock by the holder
	ModeUnshare  // RUnlock by a holder
	ModeTry      // TryLock
	ModeTryShare // TryRLock

	// Channels, before the first select, len or the like.
	ModeSend
	ModeRecv     // Idx: the receive is the Idx-th one
	ModeClose    // Idx: sends made so far minus capacity
	ModeDeadSend // a send on a closed channel, which panics
	ModeLook     // after a first one: len, or a case that is not ready of a select with a default

	// WaitGroups.
	ModeAdd     // a positive Add before the first Wait
	ModeAddLate // a positive Add after a Wait
	ModeDone    // a Done paid for by an Add of its goroutine or its parent
	ModeWait
	ModeLooseDone // any other Done, if such commute

	// Once.
	ModeFirst // the call that runs the function
	ModeLater // any later call

	// Map: its set of keys. Values are read and written by key.
	ModeKeyWrite // a key is added or deleted
	ModeScan     // a read of all keys
	ModeClear    // all keys are deleted

	// Memory that is known by address. Idx: the bytes of the object, as bits.
	ModeReadBytes
	ModeWriteBytes
	// Atomic operations with results that the program does not use, on four and on eight bytes.
	// Those of one mode commute.
	ModeAdd4Bytes
	ModeAdd8Bytes
	ModeAnd4Bytes
	ModeAnd8Bytes
	ModeOr4Bytes
	ModeOr8Bytes

	// ModeAll depends on every use of the object: condition variables, pools, a channel after
	// its first select or len, an unlock by a goroutine that does not hold the lock, and
	// everything else without a finer rule.
	ModeAll

	numModes
)

// Dependence is the dependence relation between operations, as data. It must not be changed.
var Dependence = newRelation()

func newRelation() *Relation {
	r := new(Relation)
	r.Add(ModeWrite, ModeRead, ModeWrite)
	r.AddMasked(ModeWriteBytes, ModeReadBytes, ModeWriteBytes)
	for m := ModeAdd4Bytes; m <= ModeOr8Bytes; m++ {
		r.AddMasked(m, ModeReadBytes, ModeWriteBytes)
		for other := ModeAdd4Bytes; other < m; other++ {
			r.AddMasked(m, other)
		}
	}

	r.Add(ModeAcquire, ModeAcquire, ModeShare)
	r.Add(ModeTry, ModeAcquire, ModeShare, ModeRelease, ModeUnshare, ModeTry, ModeTryShare)
	r.Add(ModeTryShare, ModeAcquire, ModeRelease)

	r.Add(ModeSend, ModeSend)
	r.Add(ModeRecv, ModeRecv)
	r.Add(ModeClose, ModeClose, ModeSend, ModeDeadSend)
	r.AddIndexed(ModeRecv, ModeClose)

	r.Add(ModeWait, ModeAdd, ModeAddLate)
	r.Add(ModeAddLate, ModeAdd, ModeAddLate, ModeDone)
	r.Add(ModeLooseDone, ModeAdd, ModeAddLate, ModeDone)

	r.Add(ModeFirst, ModeFirst, ModeLater)

	r.Add(ModeScan, ModeKeyWrite)
	r.Add(ModeClear, ModeKeyWrite, ModeScan, ModeClear)

	for m := range numModes {
		r.Add(ModeAll, m)
	}
	return r
}

// Dependent reports whether two operations depend on each other: whether, in a state where both
// are requested by different goroutines, the order in which they are performed can matter. It
// is the only dependence relation of this module. Operations of one goroutine always depend on
// each other.
func Dependent(a, b *Op) bool {
	if a.G == b.G {
		return true
	}
	return Dependence.Dependent(a.Accesses(), b.Accesses())
}
