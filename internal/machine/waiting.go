package machine

import "github.com/gopor/gopor/sched/trace"

// Waiting says what g is doing as the runtime would say it of a goroutine.
func (g *Goroutine) Waiting() string {
	switch g.State {
	case StateRunning:
		return "running"
	case stateReady, stateYielding:
		return "runnable"
	}
	switch g.Op.Kind {
	case trace.OpSend:
		return "chan send"
	case trace.OpRecv:
		return "chan receive"
	case trace.OpSelect:
		if len(g.Req.Cases) == 0 {
			return "select (no cases)"
		}
		return "select"
	case trace.OpLock:
		if _, ok := g.Req.Obj.(*RwState); ok {
			return "sync.RWMutex.Lock"
		}
		return "sync.Mutex.Lock"
	case trace.OpRLock:
		return "sync.RWMutex.RLock"
	case trace.OpWGWait:
		return "sync.WaitGroup.Wait"
	case trace.OpSleep:
		return "sleep"
	}
	return "semacquire"
}
