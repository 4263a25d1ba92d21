package trace

import "fmt"

// Law is a rule that a [Program] must keep to. They are listed at Program, and
// [CheckLaws] finds out which one is broken.
type Law uint8

// The laws.
const (
	LawPending    Law = iota + 1 // operations are listed in ascending order of goroutine, each well-formed
	LawEvent                     // a step performs the operation that was chosen, as it was pending, and counts one
	LawEnabled                   // a pending operation stays until it is performed
	LawHonesty                   // an operation changes only if an event does that it depends on
	LawFootprints                // an access that is taken away is covered by the event that takes it
	LawOrder                     // what an event has made pending comes after that event
	LawRepeat                    // the same choices lead to the same events
)

var lawNames = [...]string{"", "pending operations", "events", "enabled requests", "honest accesses", "footprints", "order", "determinism"}

func (l Law) String() string {
	if int(l) < len(lawNames) {
		return "law of " + lawNames[l]
	}
	return fmt.Sprintf("law(%d)", uint8(l))
}

// LawError says which law a program breaks, and where. It is what a Run returns
// that belongs to a program of [CheckLaws].
type LawError struct {
	Law     Law
	Step    int     // number of the event that shows it, from 0
	Event   Op      // the operation performed then; G is -1 if there was none
	Pending Op      // the operation of another goroutine that it did wrong to; G is -1 if there is none
	Objects []int32 // whose use is at issue, if any is
	Msg     string  // what is wrong, and what to do
}

func (e *LawError) Error() string {
	return fmt.Sprintf("the program breaks the %v at step %d: %s", e.Law, e.Step, e.Msg)
}

// text names the operation with all that it touches.
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
	ModeSend: "send", ModeRecv: "receive", ModeClose: "close", ModeDeadSend: "dead send",
	ModeAdd: "add", ModeAddLate: "late add", ModeDone: "done", ModeWait: "wait",
	ModeFirst: "first call", ModeLater: "later call",
	ModeKeyWrite: "key write", ModeScan: "scan", ModeClear: "clear",
	ModeReadBytes: "read", ModeWriteBytes: "write", ModeAll: "all",
}
