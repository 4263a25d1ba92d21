package trace

import "fmt"

// Law is a rule that a [Program] must keep. The laws are listed at Program, and [CheckLaws]
// finds the law that is broken.
type Law uint8

// The laws.
const (
	// Operations are listed in ascending order of goroutine, each well-formed.
	LawPending Law = iota + 1
	// A step performs the chosen operation, as it was pending, and counts one.
	LawEvent
	LawEnabled // a pending operation stays until it is performed
	// An operation changes only by an event that it depends on.
	LawHonesty
	// An access that is taken away is covered by the event that takes it.
	LawFootprints
	LawOrder  // an event that makes an operation pending comes before it
	LawRepeat // the same choices lead to the same events
)

var lawNames = [...]string{"", "pending operations", "events", "enabled requests", "honest accesses", "footprints", "order", "determinism"}

func (l Law) String() string {
	if int(l) < len(lawNames) {
		return "law of " + lawNames[l]
	}
	return fmt.Sprintf("law(%d)", uint8(l))
}

// LawError says which law a program breaks, and where. A Run of a program of [CheckLaws]
// returns it.
type LawError struct {
	Law   Law
	Step  int // number of the event that shows it, from 0
	Event Op  // the operation performed then; G is -1 if there was none
	// The operation of another goroutine that the event has changed wrongly; G is -1 if there
	// is none.
	Pending Op
	Objects []int32 // the objects with the wrong uses, if any
	Msg     string  // what is wrong, and what to do
}

func (e *LawError) Error() string {
	return fmt.Sprintf("the program breaks the %v at step %d: %s", e.Law, e.Step, e.Msg)
}

// text returns the operation with all its accesses.
func (o *Op) text() string {
	s := fmt.Sprintf("g%d:%v of", o.G, o.Kind)
	as := o.Accesses()
	if len(as) == 0 {
		return s + " nothing"
	}
	for i, a := range as {
		if i > 0 {
			s += ","
		}
		s += " " + accessText(a)
	}
	return s
}

func accessText(a Access) string {
	if a.Obj == Everything {
		return "everything"
	}
	s := fmt.Sprintf("object %d (%s", a.Obj, modeText(a))
	return s + ")"
}

func modeText(a Access) string {
	if int(a.Mode) < len(modeNames) {
		return modeNames[a.Mode]
	}
	return fmt.Sprintf("mode %d", a.Mode)
}

var modeNames = [numModes]string{
	ModeRead: "read", ModeWrite: "write",
	ModeAcquire: "acquire", ModeShare: "share", ModeRelease: "release", ModeUnshare: "unshare", ModeTry: "try", ModeTryShare: "try share",
	ModeSend: "send", ModeRecv: "receive", ModeClose: "close", ModeDeadSend: "dead send", ModeLook: "look",
	ModeAdd: "add", ModeAddLate: "late add", ModeDone: "done", ModeWait: "wait", ModeLooseDone: "loose done",
	ModeFirst: "first call", ModeLater: "later call",
	ModeKeyWrite: "key write", ModeScan: "scan", ModeClear: "clear",
	ModeReadBytes: "read", ModeWriteBytes: "write",
	ModeAdd4Bytes: "add", ModeAdd8Bytes: "add", ModeAnd4Bytes: "and", ModeAnd8Bytes: "and", ModeOr4Bytes: "or", ModeOr8Bytes: "or",
	ModeAll: "all",
}
