package hook

import "github.com/gopor/gopor/internal/machine"

// TestEnd says whether a test is over. That is an atomic variable, which other goroutines read when
// they use the test.
type TestEnd struct{ n machine.Number[uint32] }

// TestEndKind is the kind of a TestEnd in records of executions.
const TestEndKind = "TestEnd"

// Over marks the test as over.
func (e *TestEnd) Over() { e.n.Store(TestEndKind+".Over", 1) }

// IsOver reports whether the test is over.
func (e *TestEnd) IsOver() bool { return e.n.Load(TestEndKind+".IsOver") != 0 }
