package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// Keys names the states of executions, see [trace.Keyed]. A state is made of the objects and of the
// goroutines. The locals of a goroutine are not known, but its history determines them: how it was
// started, what it has asked for, and what came of that. A history is a chain of identities, each
// of the one before and of what came then.
//
// What an operation returns is part of the history: the value itself if it is plain data, else the
// identity of the event that wrote it. By default the history also has the history of the goroutine
// at the other end of every edge of the Go memory model. That goroutine may have told anything in
// plain memory. Histories of observed values alone are not a state: a variable under a Mutex hands
// on a value that no operation returns.
//
// An object goes by its uses: by the identity of each goroutine's first use. That is the same in
// all executions in which the use comes, whatever number the object has there.
type Keys struct {
	trace.Keying
	// Local appends what tells g's locals apart, for a program that knows; nil if its
	// history does. Objects have fixed numbers then.
	Local func(b []byte, g *Goroutine) []byte

	// These are for tests of the judge of keys. It has to notice what keys leave out: the object of
	// that place from 1, the history of that goroutine, or the time.
	OmitObject    int
	OmitGoroutine trace.ID
	OmitTime      bool // which time it is, and when deadlines are

	m        *Machine
	events   []identity              // by event: its goroutine's history when it asked for it
	conveyed []identity              // by event: what others learn from it, see keyturns.go
	sets     map[identity][]identity // what stands for several histories in this execution
	objects  [2][]keyObject
	interned map[string]uint64 // with Exact
	names    map[identity]int32
	same     []int32 // by name: another name of the same object, itself at last
	lines    [][]byte
	scratch  []byte
	unnamed  string // something that has no name
	ranges   bool   // a goroutine ranges over a map, in some execution
	cut      bool   // the execution ends in the present state
	renamed  bool   // in this execution a goroutine began to range over a map
	turning  bool   // in this execution, Loop was called or a loop of rewritten code has turned
	dated    bool   // a time that was told may be kept where it is not forgotten

	rewritten bool // in this execution, a loop of rewritten code has turned
	known     bool // in this execution, a goroutine was told a time
}

// identity is a hash, or with Exact a number.
type identity trace.Key

// past is the history of a goroutine.
type past struct {
	local identity
	got   identity   // of what its operation reads
	inbox []identity // histories that it has learnt of since, in order, each once
	made  uint32     // things that it has made since

	birth  identity   // local, when it was started
	looped bool       // it has called Loop
	timed  bool       // the history has a time that it was told
	turned bool       // it has gone round a loop of rewritten code
	rounds []round    // such loops that it is in, as far as is known, one within the other
	known  []identity // histories that it has learnt of since the first of these began, in order
	calls  identity   // what has come of its calls that are part of a history
}

// keyObject is what is known of an object of the execution, by its number.
type keyObject struct {
	epoch   uint64
	uses    []keyUse
	by      identity // the event that has written its value
	carried identity // the history that it hands on, as an atomic or a Once
	state   Object
}

type keyUse struct {
	g    trace.ID
	name identity
}

// NewKeys returns what names the states of m, as k says.
func NewKeys(m *Machine, k trace.Keying) (*Keys, error) {
	if m.Keyed = m.Time == TimeDiscrete; !m.Keyed {
		return nil, trace.Unkeyed("time that may pass at any moment, in any order or by lag; discrete time can be named")
	}
	keys := &Keys{Keying: k, m: m, names: make(map[identity]int32), sets: make(map[identity][]identity)}
	m.Turns = m.Turns || k.Tracked
	if k.Exact {
		keys.interned = make(map[string]uint64)
	}
	return keys, nil
}

// reset begins an execution.
func (k *Keys) reset() {
	k.events, k.conveyed, k.unnamed, k.renamed, k.turning, k.dated = k.events[:0], k.conveyed[:0], "", false, false, false
	k.rewritten, k.known = false, false
	clear(k.sets)
	for _, g := range k.m.Goroutines {
		if g.past == nil {
			g.past = new(past)
		}
	}
	k.m.Goroutines[MainID].past.begin(identity{})
}

// begin makes p the history of a goroutine that has just been started.
func (p *past) begin(birth identity) {
	*p = past{local: birth, birth: birth, inbox: p.inbox[:0], rounds: p.rounds[:0], known: p.known[:0]}
}

// identify returns the identity of b.
func (k *Keys) identify(b []byte) identity {
	if k.interned == nil {
		return identity(trace.HashKey(b))
	}
	n, ok := k.interned[string(b)]
	if !ok {
		n = uint64(len(k.interned)) + 1
		k.interned[string(b)] = n
	}
	return identity{n}
}

func (id identity) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, id[0]), id[1])
}

// object returns what is known of an object.
func (k *Keys) object(o Object) *keyObject { return k.numbered(o.Head().ID) }

func (k *Keys) numbered(id int32) *keyObject {
	list, i := &k.objects[id&1], int(id>>1)
	for i >= len(*list) {
		*list = append(*list, keyObject{})
	}
	e := &(*list)[i]
	if e.epoch != k.m.Epoch {
		*e = keyObject{epoch: k.m.Epoch, uses: e.uses[:0]}
	}
	return e
}

// admit says that o is an object of the execution, made by g unless that is nil. An object that is
// there before the first event has the same number in all executions, and is known by that number.
// The clock may use it before any goroutine does.
func (k *Keys) admit(g *Goroutine, o Object) {
	e := k.object(o)
	e.state = o
	switch {
	case g != nil:
		k.acts(g)
		g.past.made++
		k.use(g, o, g.past.made)
	case len(k.events) == 0 && k.Local == nil:
		id := k.identify(asbytes.Number([]byte{'N'}, int64(o.Head().ID)))
		e.uses = append(e.uses, keyUse{nobody, id})
		k.join(e, id)
	}
}

// This ID stands for a goroutine where an object is known by its number.
const nobody trace.ID = -1

// use says that g uses o, and returns the name by which it knows it.
func (k *Keys) use(g *Goroutine, o Object, n uint32) identity {
	e := k.object(o)
	for _, u := range e.uses {
		if u.g == g.ID {
			return u.name
		}
	}
	b := k.now(g).append(k.scratch[:0])
	b = append(asbytes.Number(append(b, 'u'), int64(g.ID)), byte(o.Head().ID&1))
	id := k.identify(asbytes.Number(b, int64(n)))
	k.scratch = b[:0]
	e.uses = append(e.uses, keyUse{g.ID, id})
	k.join(e, id)
	return id
}

// join notes that one of the names of e is id.
func (k *Keys) join(e *keyObject, id identity) {
	n, ok := k.names[id]
	if !ok {
		n = int32(len(k.same))
		k.names[id] = n
		k.same = append(k.same, n)
	}
	if first := k.find(k.names[e.uses[0].name]); first != n {
		k.same[k.find(n)] = first
	}
}

func (k *Keys) find(n int32) int32 {
	for k.same[n] != n {
		k.same[n] = k.same[k.same[n]]
		n = k.same[n]
	}
	return n
}

// ObjectName is as of [trace.Keyed].
func (k *Keys) ObjectName(obj int32) int32 {
	if obj < 0 || k.Local != nil {
		return obj
	}
	e := k.numbered(obj)
	if len(e.uses) == 0 { // the clock, or an object that was not used yet
		return -2 - obj
	}
	return k.names[e.uses[0].name]
}

// SameObject is as of [trace.Keyed].
func (k *Keys) SameObject(a, b int32) bool {
	if a < 0 || b < 0 || k.Local != nil {
		return a == b
	}
	return k.find(a) == k.find(b)
}

// now is the history of g with what it has learnt since.
func (k *Keys) now(g *Goroutine) identity {
	p := g.past
	if len(p.inbox) == 0 {
		return p.local
	}
	b := append(p.local.append(make([]byte, 0, 64)), 'i')
	for _, id := range p.inbox {
		b = id.append(b)
	}
	return k.identify(b)
}

// learn lets g know of a history.
func (k *Keys) learn(g *Goroutine, id identity) {
	if k.Tracked || k.Local != nil || id == (identity{}) {
		return
	}
	set, several := k.sets[id]
	if !several {
		k.comesToKnow(g, id)
	}
	for _, id := range set {
		k.comesToKnow(g, id)
	}
}

func compareIdentity(a, b identity) int {
	return bytes.Compare(a.append(nil), b.append(nil))
}

// observe is as of the memory model.
func (k *Keys) observe(w *Goroutine, ev int32) {
	if ev >= 0 && int(ev) < len(k.conveyed) {
		k.learn(w, k.conveyed[ev])
	}
}

// local is as of the memory model.
func (k *Keys) local(w, g *Goroutine) {
	if !k.Tracked && k.Local == nil {
		k.learn(w, k.conveys(g))
	}
}

func (k *Keys) publish(obj int32, g *Goroutine) {
	if !k.Tracked && k.Local == nil {
		k.numbered(obj).carried = k.conveys(g)
	}
}

func (k *Keys) acquire(obj int32, g *Goroutine) { k.learn(g, k.numbered(obj).carried) }

func (k *Keys) atomic(obj int32, g *Goroutine, reads, writes bool) {
	if reads {
		k.acquire(obj, g)
	}
	if writes {
		k.publish(obj, g)
	}
}

// born begins the history of kid, which p starts.
func (k *Keys) born(kid, p *Goroutine) {
	if k.Local != nil {
		return
	}
	b := append(k.now(p).append(make([]byte, 0, 32)), 'b')
	id := k.identify(asbytes.Number(b, int64(kid.ID)))
	kid.past.begin(id)
	if !kid.Pseudo {
		k.hands(p, nil)
	}
}

// step makes g's history one longer.
func (k *Keys) step(g *Goroutine, b []byte) {
	p := g.past
	p.local = k.identify(b)
	p.inbox, p.made = p.inbox[:0], 0
	k.scratch = b[:0]
}

// asks notes g's request. What it asks for, of those that it knows, follows from its
// history.
func (k *Keys) asks(g *Goroutine) {
	if k.Local != nil || g.Pseudo {
		return
	}
	b := make([]byte, 0, 96)
	used := func(o Object, n uint32) {
		id := k.use(g, o, n)
		b = id.append(b)
	}
	if g.Req.Obj != nil {
		used(g.Req.Obj, 0)
	}
	if m, ok := g.Req.Obj.(*Block); ok {
		m.noted(k, g)
	}
	switch g.Op.Kind {
	case trace.OpTransfer:
		used(g.Req.From, 1)
	case trace.OpMap:
		k.usesMap(g, used)
	}
	if g.Op.Kind == trace.OpSelect {
		for i := range g.Req.Cases {
			if ch := g.Req.Cases[i].Ch; ch != nil {
				used(ch, uint32(i)+1)
			}
		}
	}
	if g.Op.Kind == trace.OpReturn {
		k.called(g, nil)
	}
	b = append(k.now(g).append(b), 'a', byte(g.Op.Kind))
	k.step(g, b)
}

// called notes what g knows, and more, as a part of what its calls have come to. That is looked at
// in the end, so g cannot forget it by [Keys.Loop].
func (k *Keys) called(g *Goroutine, more []byte) {
	b := k.now(g).append(g.past.calls.append(make([]byte, 0, 64)))
	g.past.calls = k.identify(append(b, more...))
}

// performs notes that g performs its request, as alternative alt.
func (k *Keys) performs(g *Goroutine, alt int32) {
	if k.Local != nil {
		return
	}
	id := g.past.local
	switch {
	case g.Pseudo || g.past.looped:
		id = loops
	case alt != 0: // alternatives are not known in a replay
		id = k.identify(asbytes.Number(append(id.append(make([]byte, 0, 64)), 'e'), int64(alt)))
	}
	k.events = append(k.events, id)
	if g.Pseudo || len(g.past.rounds) > 0 { // it matters what these have learnt, and not when
		id = k.conveys(g)
	}
	k.conveyed = append(k.conveyed, id)
	var o Object
	switch o = g.Req.Obj; g.Op.Kind {
	case trace.OpSend, trace.OpSelect:
		k.sends(g)
		return
	case trace.OpNetWrite, trace.OpSendTo:
		k.carries(g)
		return
	case trace.OpTransfer:
		o = g.Req.From
	case trace.OpRead, trace.OpUpdate, trace.OpLoad, trace.OpSwap, trace.OpCAS, trace.OpMap:
	case trace.OpPool:
		if s, ok := o.(*PoolState); ok {
			k.takes(g, s, alt)
		}
		return
	default:
		return
	}
	e := k.object(o)
	g.past.got = identity{}
	switch x := e.state.(type) {
	case valued:
		g.past.got = k.value(x.value(), e.by)
	case *Block:
		if g.Req.Mem.form != formNumber {
			g.past.got = k.writtenBy(e.by)
		}
	}
}

// loops stands for all events of goroutines that have called Loop, and of timers, which send
// nothing but dates: different ones may come after the same history.
var loops = identity{^uint64(0), ^uint64(0)}

// Loop lets g forget its history, but for where it is and for values, if all memory is
// tracked. Else others could learn from what it has forgotten.
func (k *Keys) Loop(g *Goroutine, place uintptr, values []any) {
	if k.Local != nil || !k.Tracked {
		return
	}
	b := asbytes.Number(append(g.past.birth.append(make([]byte, 0, 64)), 'L'), int64(place))
	for _, v := range values {
		var plain bool
		if b, plain = asbytes.Append(b, v); !plain {
			k.lacks("a value that is not plain data, of sched.Loop")
		}
	}
	g.past.local, g.past.looped, k.turning = k.identify(b), true, true
	g.past.timed = g.past.timed && slices.ContainsFunc(values, mayHoldTime)
}

// performed notes what has come of it.
func (k *Keys) performed(g *Goroutine) {
	if k.Local != nil {
		return
	}
	switch g.Op.Kind {
	case trace.OpWrite, trace.OpUpdate, trace.OpTransfer, trace.OpStore, trace.OpSwap, trace.OpCAS, trace.OpAdd, trace.OpAnd, trace.OpOr:
		if g.Op.Kind != trace.OpCAS || g.Reply.Ok {
			e := k.object(g.Req.Obj)
			e.by = k.events[len(k.events)-1]
			k.writes(g, e.state)
		}
	}
	if o, ok := g.Req.Obj.(*KeyState); ok && o.stores(g) {
		k.object(o).by = k.events[len(k.events)-1]
		k.writes(g, o)
	}
	if g.State == StateRunning {
		k.granted(g)
	}
}

// granted notes the reply that g has got.
func (k *Keys) granted(g *Goroutine) {
	if k.Local != nil || g.Pseudo {
		return
	}
	r := &g.Reply
	b := append(g.past.local.append(make([]byte, 0, 96)), 'g', byte(g.Op.Kind))
	if r.Fault != "" {
		b = append(append(b, '!'), r.Fault...)
	}
	if raised, ok := r.v.(*Raised); ok && (g.Op.Kind == trace.OpCAS || g.Op.Kind == trace.OpMap) {
		b = fmt.Append(append(b, '?'), raised.V)
	}
	switch g.Op.Kind {
	case trace.OpRead, trace.OpUpdate, trace.OpTransfer, trace.OpLoad, trace.OpSwap:
		if b = g.past.got.append(b); g.past.got == (identity{}) {
			b = asbytes.Number(b, r.Val)
		}
	case trace.OpAdd, trace.OpAnd, trace.OpOr, trace.OpLen, trace.OpChoose, trace.OpNow:
		b = asbytes.Number(b, r.Val)
	case trace.OpCtxErr:
		if b = asbytes.Number(b, r.Val); r.Val != 0 {
			// Which error it is can be read off the context from then on, too.
			b = k.ended(b, g.Req.Obj.(*ContextState))
		}
	case trace.OpCAS, trace.OpTryLock, trace.OpTryRLock, trace.OpYield, trace.OpTimer, trace.OpOnce, trace.OpCancel:
		b = asbytes.Truth(b, r.Ok)
	case trace.OpCall:
		before := g.Req.Obj.(*HistoryState).appendReturned(nil)
		k.called(g, before)
		b = append(b, before...)
	case trace.OpMap:
		b = k.mapReply(b, g)
	case trace.OpPool:
		b = k.poolReply(b, g)
	case trace.OpRecv:
		b = k.received(b, g)
	case trace.OpSelect:
		b = asbytes.Number(b, int64(r.Chosen))
		if i := int(r.Chosen); i < len(g.Req.Cases) && !g.Req.Cases[i].Send {
			b = k.received(b, g)
		}
	case trace.OpWGAdd, trace.OpWGDone, trace.OpWGWait:
		if k.m.Model&ModelWaitGroup != 0 {
			// Its next step compares how many waited then, though they may be others by now.
			b = asbytes.Number(asbytes.Truth(b, r.Ok), r.Val)
		}
	default:
		if isSocket(g.Op.Kind) {
			b = k.socketReply(b, g)
		}
	}
	learnt := g.past.inbox
	g.past.local = k.identify(b)
	g.past.inbox, k.scratch = learnt, b[:0]
}

func (k *Keys) received(b []byte, g *Goroutine) []byte {
	if b = asbytes.Truth(b, g.Reply.Ok); g.Reply.Ok {
		b = g.past.got.append(b)
	}
	return b
}

// gets notes that g receives msg from c, by case number which of a select.
func (k *Keys) gets(g *Goroutine, c *ChanState, msg message, which int) {
	switch {
	case k.Local != nil:
	case g.drops(which):
		g.past.got = identity{}
	default:
		if g.past.got = k.message(c, msg); c.timer != nil {
			k.knows(g)
		}
	}
}

// message returns the identity of what is under way.
func (k *Keys) message(c *ChanState, msg message) identity {
	switch {
	case c.values == nil:
		return k.identify(asbytes.Number([]byte{'n'}, msg.val))
	case msg.ev < 0:
		return k.identify(asbytes.Number([]byte{'p'}, msg.val)) // it was there before
	case int(msg.ev) >= len(k.events):
		return k.value(c.values.at(msg.val), identity{})
	}
	return k.value(c.values.at(msg.val), k.events[msg.ev])
}
