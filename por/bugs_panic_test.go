package por

import "github.com/gopor/gopor/sched"

// This file has programs that panic, whose reports have to say what the panic is about.

// currentUser is what buggyVanish has a pointer to.
type currentUser struct{ logins int }

// buggyVanish uses a pointer that another goroutine has set to nil.
func buggyVanish() {
	var user sched.Pointer[currentUser]
	user.Store(&currentUser{})
	h := sched.Go(func() { user.Store(nil) })
	if user.Load() != nil {
		user.Load().logins++
	}
	h.Join()
}

// buggyOwn uses a pointer that the goroutine itself has set to nil, after it has read on another
// line what another goroutine has written.
func buggyOwn() {
	var user sched.Pointer[currentUser]
	ready := sched.NewVar(false)
	user.Store(nil)
	h := sched.Go(func() { ready.Store(user.Load() == nil) })
	h.Join()
	if ready.Load() {
		user.Load().logins++
	}
}

// buggyBlocked closes a channel on which a goroutine waits to send.
func buggyBlocked() {
	results := sched.NewChan[int](0)
	h := sched.Go(func() { results.Close() })
	results.Send(1)
	h.Join()
}

// buggyTwice unlocks a mutex that another goroutine has unlocked.
func buggyTwice() {
	var mu sched.Mutex
	mu.Lock()
	h := sched.Go(func() { mu.Unlock() })
	h.Join()
	mu.Unlock()
}

// buggyAlike has two goroutines that do the same.
func buggyAlike() {
	last := sched.NewVar(0)
	set := func() { last.Store(1) }
	first, second := sched.Go(set), sched.Go(set)
	first.Join()
	second.Join()
}

// buggyAgain closes a channel twice by itself.
func buggyAgain() {
	stop := sched.NewChan[int](0)
	h := sched.Go(func() {
		stop.Close()
		stop.Close()
	})
	h.Join()
}
