package edges

const (
	ofCancel   = "package context: cancelling closes the Done channel"
	ofErr      = "package context: Err sees what cancel has set, by an atomic operation"
	ofAfter    = "context.AfterFunc: it registers f under the lock of the context, which the cancelling takes"
	ofTimer    = "package time: who starts a timer is before what the timer does, as the race detector sees it"
	cancelable = "c, cancel := context.WithCancel(context.Background()); defer cancel()"
	inAfter    = "p := make(chan int)"
	aTimer     = "timers fire in the order of their deadlines"
)

// contextRows are about package context.
var contextRows = []row{
	{name: "cancel to Done", why: ofCancel, decl: cancelable, a: "WRITE; cancel()", b: "<-c.Done(); READ"},
	{name: "cancel to Done in a select", why: ofCancel, decl: cancelable + "; d := make(chan int)", a: "WRITE; cancel()", b: "select { case <-c.Done(): case <-d: }; READ"},
	{name: "cancel to Done that is tried", why: ofCancel, decl: cancelable, a: "WRITE; cancel()", b: "select { case <-c.Done(): READ; default: }"},
	{name: "cancel to Err", why: ofErr, decl: cancelable, a: "WRITE; cancel()", b: "if c.Err() != nil { READ }"},
	{name: "cancel to Cause", why: ofErr, decl: "c, cancel := context.WithCancelCause(context.Background())", a: "WRITE; cancel(io.EOF)", b: "if context.Cause(c) != nil { READ }"},
	{name: "cancel to Err of a child", why: ofErr, decl: cancelable + "; d, stop := context.WithCancel(c); defer stop()", a: "WRITE; cancel()", b: "if d.Err() != nil { READ }"},
	{name: "cancel to Done of a child", why: ofCancel, decl: cancelable + "; d, stop := context.WithCancel(c); defer stop()", a: "WRITE; cancel()", b: "<-d.Done(); READ"},
	{name: "cancel to Done of a child with a value", why: ofCancel, decl: cancelable + "; d, stop := context.WithCancel(context.WithValue(c, key{}, 1)); defer stop()", a: "WRITE; cancel()", b: "<-d.Done(); READ"},
	{name: "cancel to a child that is derived later", why: "package context: deriving looks at the Done channel of the parent", decl: cancelable, a: "WRITE; cancel()",
		b: "d, stop := context.WithCancel(c); if d.Err() != nil { READ }; stop()"},
	{name: "cancel to a second cancel that sees it", why: ofErr, decl: cancelable + "; set := false", a: "WRITE; set = true; cancel()", b: "if c.Err() != nil { cancel(); if set { READ } }"},
	{name: "cancel to cancel", why: unsaid, decl: cancelable, none: true, a: "WRITE; cancel()", b: "_ = c; cancel(); READ"},
	{name: "Err that is nil", why: unsaid, decl: cancelable, none: true, a: "WRITE; cancel()", b: "if c.Err() == nil { READ }"},
	{name: "Err to cancel", why: unsaid, decl: cancelable, none: true, a: "WRITE; _ = c.Err()", b: "cancel(); READ"},
	{name: "Value", why: unsaid, decl: "c := context.WithValue(context.Background(), key{}, 1)", none: true, a: "WRITE; c.Value(key{})", b: "c.Value(key{}); READ"},
	{name: "WithoutCancel", why: unsaid, decl: cancelable + "; d := context.WithoutCancel(c)", none: true, a: "WRITE; cancel()", b: "_ = d.Err(); READ"},
	{name: "deadline, to Done", why: ofTimer, decl: "p := make(chan context.Context, 1)", alone: true,
		part: aTimer, a: "WRITE; c, cancel := context.WithTimeout(context.Background(), time.Millisecond); defer cancel(); <-c.Done(); READ; _ = p",
		late: "c, cancel := context.WithTimeout(context.Background(), time.Millisecond); defer cancel(); go func() { WRITE; p <- c }(); <-c.Done(); READ; <-p"},
	{name: "deadline, to f", why: ofTimer, decl: inAfter, alone: true,
		part: aTimer, a: "WRITE; c, cancel := context.WithTimeout(context.Background(), time.Millisecond); defer cancel(); context.AfterFunc(c, func() { READ; close(p) }); <-p",
		late: "c, cancel := context.WithTimeout(context.Background(), time.Millisecond); defer cancel(); context.AfterFunc(c, func() { READ; close(p) }); WRITE; <-p"},
	{name: "cancel to f", why: ofAfter, decl: cancelable + "; " + inAfter + "; context.AfterFunc(c, func() { READ; close(p) })", a: "WRITE; cancel()", b: "<-p",
		late: "cancel(); WRITE"},
	{name: "AfterFunc to f", why: ofAfter, decl: cancelable + "; " + inAfter, a: "WRITE; context.AfterFunc(c, func() { READ; close(p) })", b: "cancel(); <-p"},
	{name: "AfterFunc to f, by the parent", why: ofAfter, decl: cancelable + "; d, stop := context.WithCancel(c); defer stop(); " + inAfter, a: "WRITE; context.AfterFunc(d, func() { READ; close(p) })", b: "cancel(); <-p"},
	{name: "AfterFunc to f, by a context of its own", why: "the context's lock", decl: "c := newOwn(); " + inAfter, a: "WRITE; context.AfterFunc(c, func() { READ; close(p) })", b: "c.end(); <-p"},
	{name: "AfterFunc to f, by one that only has Done", why: "package context: a goroutine waits for Done", decl: "c := &bare{done: make(chan struct{})}; " + inAfter, a: "WRITE; context.AfterFunc(c, func() { READ; close(p) })", b: "c.end(); <-p"},
	{name: "AfterFunc to f, of one that has ended", why: ofAfter, decl: cancelable + "; " + inAfter, alone: true, a: "cancel(); WRITE; context.AfterFunc(c, func() { READ; close(p) }); <-p",
		late: "cancel(); context.AfterFunc(c, func() { READ; close(p) }); WRITE; <-p"},
	{name: "end of a context of its own", why: "the context's lock", decl: "c := newOwn(); d, stop := context.WithCancel(c); defer stop()", a: "WRITE; c.end()", b: "<-d.Done(); READ"},
	{name: "end of one that only has Done", why: ofClose, decl: "c := &bare{done: make(chan struct{})}; d, stop := context.WithCancel(c); defer stop()", a: "WRITE; c.end()", b: "<-d.Done(); READ"},
	{name: "stop that is too late", why: "context.AfterFunc: by a Once, which f was started in", decl: cancelable + "; " + inAfter + "; stop := context.AfterFunc(c, func() { close(p) })", a: "WRITE; cancel()", b: "if !stop() { READ }"},
	{name: "f to stop", why: "context.AfterFunc: stop does not wait for f", decl: cancelable + "; stop := context.AfterFunc(c, func() { WRITE })", none: true, a: "cancel()", b: "if !stop() { READ }"},
	{name: "stop to cancel", why: unsaid, decl: cancelable + "; stop := context.AfterFunc(c, func() { })", none: true, a: "WRITE; stop()", b: "cancel(); READ"},
	{name: "signal.NotifyContext, its stop to Done", why: ofCancel, decl: "c, stop := signal.NotifyContext(context.Background(), os.Interrupt); defer stop()", a: "WRITE; stop()", b: "<-c.Done(); READ"},
}

// timeRows are about package time.
var timeRows = []row{
	{name: "time.AfterFunc", why: ofTimer, part: aTimer, decl: inAfter, alone: true, a: "WRITE; time.AfterFunc(time.Millisecond, func() { READ; close(p) }); <-p",
		late: "time.AfterFunc(time.Millisecond, func() { READ; close(p) }); WRITE; <-p"},
	{name: "Reset to f", why: ofTimer, part: aTimer, decl: inAfter, alone: true, a: "t1 := time.AfterFunc(time.Hour, func() { READ; close(p) }); WRITE; t1.Reset(time.Millisecond); <-p",
		late: "t1 := time.AfterFunc(time.Hour, func() { READ; close(p) }); t1.Reset(time.Millisecond); WRITE; <-p"},
	{name: "NewTimer to a receive", why: ofTimer, part: aTimer, decl: "c := make(chan *time.Timer, 1)", a: "WRITE; c <- time.NewTimer(time.Millisecond)", b: "<-(<-c).C; READ"},
	{name: "Reset to a receive", why: ofTimer, part: aTimer, decl: "t1 := time.NewTimer(time.Hour)", a: "WRITE; t1.Reset(time.Millisecond)", b: "<-t1.C; READ"},
	{name: "Reset of a Ticker to a receive", why: ofTimer, part: aTimer, decl: "t1 := time.NewTicker(time.Hour); defer t1.Stop()", a: "WRITE; t1.Reset(time.Millisecond)", b: "<-t1.C; READ"},
	{name: "time.After", why: ofTimer, part: aTimer, decl: "c := make(chan (<-chan time.Time), 1)", a: "WRITE; c <- time.After(time.Millisecond)", b: "<-(<-c); READ"},
	{name: "time.Sleep", why: unsaid, none: true, a: "WRITE", b: "time.Sleep(time.Millisecond); READ"},
	{name: "a timer that both wait for", why: unsaid, none: true, a: "<-time.After(time.Millisecond); WRITE", b: "<-time.After(time.Millisecond); READ"},
	{name: "Stop that is too late", why: "time.Timer.Stop does not wait for f", decl: "t1 := time.AfterFunc(time.Millisecond, func() { WRITE })", none: true, a: "", b: "time.Sleep(time.Millisecond); if !t1.Stop() { READ }"},
	{name: "Stop that is in time", why: unsaid, decl: "t1 := time.NewTimer(time.Hour)", none: true, a: "WRITE; t1.Stop()", b: "if !t1.Stop() { READ }"},
	{name: "time.Now", why: unsaid, none: true, a: "WRITE; time.Now()", b: "time.Now(); READ"},
	{name: "f to a timer that f starts", why: ofTimer, part: aTimer, decl: inAfter, alone: true, a: "time.AfterFunc(time.Millisecond, func() { WRITE; time.AfterFunc(time.Millisecond, func() { READ; close(p) }) }); <-p",
		late: "time.AfterFunc(time.Millisecond, func() { time.AfterFunc(time.Millisecond, func() { READ; close(p) }); WRITE }); <-p"},
}
