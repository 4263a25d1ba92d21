// Package toy holds tiny concurrent programs as data. A toy program is a list of
// objects and a list of threads, each a straight line of instructions with local
// branches forward; so every execution ends. It is written and read as text
// ([Parse], [Program.String]), runs on a [machine.Machine] without a stack of its
// own ([New]), and can be translated to a closure on the primitives of package
// sched ([NewClosure]), which has to behave the same.
//
// # Text
//
// One declaration or instruction a line; # begins a comment. First the objects,
// by kind, name and numbers, then the threads. Thread 0 is main.
//
//	cell x 0         # a variable, plain or atomic, and its initial value
//	chan c 1         # capacity
//	mutex m
//	rwmutex w
//	waitgroup g
//	once o
//	cond k m         # and its mutex
//	pool p
//	timer t 5        # main makes it at the start; it has a channel
//	ticker u 5
//	after f 5 2      # runs thread 2 when it fires
//	time any         # timers fire in any order, instead of discrete time
//	time lag 2       # ... or early, by 2 ns
//	thread
//		spawn 1
//		r0 = load x
//		unless r0 == 1 skip 2
//		r1 = cas x 0 r0
//		r2 = select send c 1, recv t, default
//		once o 1       # the next instruction is the function
//		join 1
//	thread
//		...
//
// Instructions take a number or a register r0 to r7 where a value is stored,
// sent, added or compared, and numbers elsewhere.
package toy

import (
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Program is a toy program. It must pass [Program.Check] before it is run.
type Program struct {
	Time    sched.TimeMode
	Lag     int64 // of time by lag, in nanoseconds
	Objects []Object
	Threads [][]Instr
}

// ObjKind is a kind of object.
type ObjKind uint8

// The kinds of objects.
const (
	Cell ObjKind = iota
	Chan
	Mutex
	RWMutex
	WaitGroup
	Once
	Cond
	Pool
	Timer  // sends on a channel of its own, once
	Ticker // the same, again and again
	After  // runs a thread
	numObjKinds
)

var objKindNames = [numObjKinds]string{
	"cell", "chan", "mutex", "rwmutex", "waitgroup", "once", "cond", "pool", "timer", "ticker", "after",
}

func (k ObjKind) String() string { return objKindNames[k] }

// Object declares an object.
type Object struct {
	Kind ObjKind
	Name string
	N    int64 // initial value, capacity, nanoseconds
	Ref  int   // the mutex of a Cond, the thread of an After
}

// Code says what an instruction does.
type Code uint8

// The instructions. Those up to Spawn are no events.
const (
	If    Code = iota // skip N instructions if a register has a value
	Spawn             // start thread N
	Read
	Write
	Update // write, and return what was there
	Load
	Store
	Add
	And
	Or
	Swap
	CAS
	Lock
	Unlock
	TryLock
	RLock
	RUnlock
	TryRLock
	Send
	Recv
	Close
	Len
	Select
	WGAdd
	WGDone
	WGWait
	Do // of a Once: the next N instructions are the function
	Wait
	Signal
	Broadcast
	Use // of a Pool
	Choose
	Yield
	Join // wait for the latest thread N that this thread has spawned, if any
	Sleep
	Stop
	Reset
	Now
	numCodes
)

// Regs is the number of registers of a thread.
const Regs = 8

// Value is a number or a register.
type Value struct {
	IsReg bool
	N     int64 // the number, or the number of the register
}

// Const returns the value n.
func Const(n int64) Value { return Value{N: n} }

// Reg returns the value in register n.
func Reg(n int) Value { return Value{IsReg: true, N: int64(n)} }

// Instr is an instruction.
type Instr struct {
	Code Code
	Obj  int // index of the object, where the instruction has one
	// Dst is the register for the result, or -1. The result is the value that
	// was read, received, chosen or counted (-1 from a closed channel), 1 or 0
	// for success or failure (0 from a ticker), the number of the case of a
	// select.
	Dst int
	// Args are values; N is a number that is no value: a thread, how many
	// instructions, a delta, nanoseconds, alternatives.
	Args    [2]Value
	N       int64
	Reg     int  // If: the register to compare with Args[0]
	Not     bool // If: skip if they differ
	Cases   []Case
	Default bool
}

// Case is a case of a Select.
type Case struct {
	Send bool
	Obj  int
	Val  Value
}

// kindSet is a set of ObjKinds.
type kindSet uint16

func kinds(ks ...ObjKind) (s kindSet) {
	for _, k := range ks {
		s |= 1 << k
	}
	return s
}

func (s kindSet) has(k ObjKind) bool { return s>>k&1 == 1 }

// codeInfo describes the form of an instruction.
type codeInfo struct {
	name   string
	kind   trace.Kind
	on     kindSet // kinds of objects that it is for, 0 for no object
	args   int     // number of values
	n      bool    // has a number
	result bool
}

var codes = [numCodes]codeInfo{
	If:        {name: "if"},
	Spawn:     {name: "spawn", n: true},
	Read:      {name: "read", kind: trace.OpRead, on: kinds(Cell), result: true},
	Write:     {name: "write", kind: trace.OpWrite, on: kinds(Cell), args: 1},
	Update:    {name: "update", kind: trace.OpUpdate, on: kinds(Cell), args: 1, result: true},
	Load:      {name: "load", kind: trace.OpLoad, on: kinds(Cell), result: true},
	Store:     {name: "store", kind: trace.OpStore, on: kinds(Cell), args: 1},
	Add:       {name: "add", kind: trace.OpAdd, on: kinds(Cell), args: 1, result: true},
	And:       {name: "and", kind: trace.OpAnd, on: kinds(Cell), args: 1, result: true},
	Or:        {name: "or", kind: trace.OpOr, on: kinds(Cell), args: 1, result: true},
	Swap:      {name: "swap", kind: trace.OpSwap, on: kinds(Cell), args: 1, result: true},
	CAS:       {name: "cas", kind: trace.OpCAS, on: kinds(Cell), args: 2, result: true},
	Lock:      {name: "lock", kind: trace.OpLock, on: kinds(Mutex, RWMutex)},
	Unlock:    {name: "unlock", kind: trace.OpUnlock, on: kinds(Mutex, RWMutex)},
	TryLock:   {name: "trylock", kind: trace.OpTryLock, on: kinds(Mutex, RWMutex), result: true},
	RLock:     {name: "rlock", kind: trace.OpRLock, on: kinds(RWMutex)},
	RUnlock:   {name: "runlock", kind: trace.OpRUnlock, on: kinds(RWMutex)},
	TryRLock:  {name: "tryrlock", kind: trace.OpTryRLock, on: kinds(RWMutex), result: true},
	Send:      {name: "send", kind: trace.OpSend, on: kinds(Chan), args: 1},
	Recv:      {name: "recv", kind: trace.OpRecv, on: kinds(Chan, Timer, Ticker), result: true},
	Close:     {name: "close", kind: trace.OpClose, on: kinds(Chan)},
	Len:       {name: "len", kind: trace.OpLen, on: kinds(Chan), result: true},
	Select:    {name: "select", kind: trace.OpSelect, result: true},
	WGAdd:     {name: "wgadd", kind: trace.OpWGAdd, on: kinds(WaitGroup), n: true},
	WGDone:    {name: "done", kind: trace.OpWGDone, on: kinds(WaitGroup)},
	WGWait:    {name: "wgwait", kind: trace.OpWGWait, on: kinds(WaitGroup)},
	Do:        {name: "once", kind: trace.OpOnce, on: kinds(Once), n: true, result: true},
	Wait:      {name: "wait", kind: trace.OpCondAdd, on: kinds(Cond)},
	Signal:    {name: "signal", kind: trace.OpSignal, on: kinds(Cond)},
	Broadcast: {name: "broadcast", kind: trace.OpBroadcast, on: kinds(Cond)},
	Use:       {name: "use", kind: trace.OpPool, on: kinds(Pool)},
	Choose:    {name: "choose", kind: trace.OpChoose, n: true, result: true},
	Yield:     {name: "yield", kind: trace.OpYield},
	Join:      {name: "join", kind: trace.OpJoin, n: true},
	Sleep:     {name: "sleep", kind: trace.OpSleep, n: true},
	Stop:      {name: "stop", kind: trace.OpTimer, on: kinds(Timer, Ticker, After), result: true},
	Reset:     {name: "reset", kind: trace.OpTimer, on: kinds(Timer, Ticker, After), n: true, result: true},
	Now:       {name: "now", kind: trace.OpNow, result: true},
}

func (c Code) String() string { return codes[c].name }

// Clone returns a deep copy of p.
func (p *Program) Clone() *Program {
	q := &Program{Time: p.Time, Lag: p.Lag, Objects: append([]Object(nil), p.Objects...)}
	for _, th := range p.Threads {
		body := make([]Instr, len(th))
		for i, in := range th {
			in.Cases = append([]Case(nil), in.Cases...)
			body[i] = in
		}
		q.Threads = append(q.Threads, body)
	}
	return q
}

// Len returns the number of instructions of p.
func (p *Program) Len() (n int) {
	for _, th := range p.Threads {
		n += len(th)
	}
	return n
}
