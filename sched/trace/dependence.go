package trace

// The access modes. Which of them depend on each other when they meet on one
// object is said once, in the table below; every engine, the oracle and the
// happens-before relation go by it. A test performs, for every pair that the
// table calls independent, both orders from random states, and finds for every
// other pair a state that shows the difference.
const (
	// Variables, plain and atomic.
	ModeRead  Mode = iota
	ModeWrite      // anything that may change the value; a CAS that would fail now is a read

	// Locks. Requests are granted in the order in which they are made.
	ModeAcquire  // Lock of a Mutex or RWMutex
	ModeShare    // RLock
	ModeRelease  // Unlock by the holder
	ModeUnshare  // RUnlock by a holder
	ModeTry      // TryLock
	ModeTryShare // TryRLock

	// Channels, as long as no select, len or the like has looked at them.
	ModeSend
	ModeRecv     // Idx: this is the Idx-th receive
	ModeClose    // Idx: sends made so far minus capacity
	ModeDeadSend // a send on a closed channel, which panics

	// WaitGroups.
	ModeAdd     // a positive Add while nobody has waited yet
	ModeAddLate // a positive Add after a Wait
	ModeDone    // a Done that its goroutine's own Add, or its parent's, pays for
	ModeWait

	// Once.
	ModeFirst // the call that will run the function
	ModeLater // any later one

	// Map: what its keys are. Values are read and written by key.
	ModeKeyWrite // a key comes or goes
	ModeScan     // a look at all of them
	ModeClear    // all of them go

	// Memory that is known by address. Idx: the bytes of the object, as bits.
	ModeReadBytes
	ModeWriteBytes

	// ModeAll depends on every use of the object: condition variables, pools,
	// a channel that was looked at, an unlock by a goroutine that does not hold
	// the lock, and whatever else has no finer rule.
	ModeAll

	numModes
)

// Dependence is the dependence relation between operations,
// as data. It is not to be changed.
var Dependence = newRelation()

func newRelation() *Relation {
	r := new(Relation)
	r.Add(ModeWrite, ModeRead, ModeWrite)
	r.AddMasked(ModeWriteBytes, ModeReadBytes, ModeWriteBytes)

	r.Add(ModeAcquire, ModeAcquire, ModeShare)
	r.Add(ModeTry, ModeAcquire, ModeShare, ModeRelease, ModeUnshare, ModeTry, ModeTryShare)
	r.Add(ModeTryShare, ModeAcquire, ModeRelease)

	r.Add(ModeSend, ModeSend)
	r.Add(ModeRecv, ModeRecv)
	r.Add(ModeClose, ModeClose, ModeSend, ModeDeadSend)
	r.AddIndexed(ModeRecv, ModeClose)

	r.Add(ModeWait, ModeAdd, ModeAddLate)
	r.Add(ModeAddLate, ModeAdd, ModeAddLate, ModeDone)

	r.Add(ModeFirst, ModeFirst, ModeLater)

	r.Add(ModeScan, ModeKeyWrite)
	r.Add(ModeClear, ModeKeyWrite, ModeScan, ModeClear)

	for m := range numModes {
		r.Add(ModeAll, m)
	}
	return r
}

// Dependent reports whether two operations depend on each other: whether, in a
// state where both are requested by different goroutines, the order in which
// they are performed can matter. It is the only dependence relation of this
// module. Operations of one goroutine always depend on each other.
func Dependent(a, b *Op) bool {
	if a.G == b.G {
		return true
	}
	return Dependence.Dependent(a.Accesses(), b.Accesses())
}
