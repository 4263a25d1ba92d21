package edges

// memoryModel is what The Go Memory Model says.
const memoryModel = "The Go Memory Model: "

const (
	ofSend    = memoryModel + "a send on a channel is synchronized before the completion of the corresponding receive"
	ofClose   = memoryModel + "the closing of a channel is synchronized before a receive that returns because it is closed"
	ofReceive = memoryModel + "a receive from an unbuffered channel is synchronized before the completion of the send"
	ofRoom    = memoryModel + "the kth receive from a channel with capacity C is synchronized before the completion of the k+Cth send"
	ofGo      = memoryModel + "the go statement is synchronized before the start of the goroutine's execution"
	unsaid    = memoryModel + "it says nothing of that"
)

// languageRows are about goroutines, channels and select.
var languageRows = []row{
	{name: "go statement", why: ofGo, decl: "c := make(chan int)", alone: true,
		a:    "WRITE; go func() { READ; close(c) }(); <-c",
		late: "go func() { READ; close(c) }(); WRITE; <-c"},
	{name: "go statement of a method value", why: ofGo, decl: "c := make(chan int); f := func() { READ; close(c) }", alone: true,
		a: "WRITE; go f(); <-c", late: "go f(); WRITE; <-c"},
	{name: "end of a goroutine", why: memoryModel + "the exit of a goroutine is not synchronized before anything", none: true,
		a: "done := make(chan int); go func() { close(done); WRITE }(); <-done", b: "READ"},
	{name: "send to receive", why: ofSend, decl: "c := make(chan int)", a: "WRITE; c <- 1", b: "<-c; READ"},
	{name: "send to receive, buffered", why: ofSend, decl: "c := make(chan int, 1)", a: "WRITE; c <- 1", b: "<-c; READ"},
	{name: "second send to second receive", why: ofSend, decl: "c := make(chan int, 2)", a: "c <- 1; WRITE; c <- 2", b: "<-c; <-c; READ"},
	{name: "second send to first receive", why: ofSend, decl: "c := make(chan int, 2)", none: true, a: "c <- 1; WRITE; c <- 2", b: "<-c; READ"},
	{name: "send by select", why: ofSend, decl: "c, d := make(chan int), make(chan int)", a: "WRITE; select { case c <- 1: case d <- 2: }", b: "<-c; READ"},
	{name: "send by select, buffered", why: ofSend, decl: "c, d := make(chan int, 1), make(chan int)", a: "WRITE; select { case c <- 1: case d <- 2: }", b: "<-c; READ"},
	{name: "receive by select", why: ofSend, decl: "c, d := make(chan int), make(chan int)", a: "WRITE; c <- 1", b: "select { case <-c: case <-d: }; READ"},
	{name: "tried receive", why: ofSend, decl: "c := make(chan int, 1)", a: "WRITE; c <- 1", b: "select { case <-c: READ; default: }"},
	{name: "tried send", why: ofSend, decl: "c := make(chan int)", a: "WRITE; select { case c <- 1: default: close(c) }", b: "<-c; READ"},
	{name: "receive by range", why: ofSend, decl: "c := make(chan int, 1)", a: "WRITE; c <- 1; close(c)", b: "for range c { READ }",
		late: "c <- 1; WRITE; close(c)"},
	{name: "end of range", why: ofClose, decl: "c := make(chan int, 1)", a: "c <- 1; WRITE; close(c)", b: "for range c { }; READ"},
	{name: "close to receive", why: ofClose, decl: "c := make(chan int)", a: "WRITE; close(c)", b: "<-c; READ"},
	{name: "close to receive, buffered", why: ofClose, decl: "c := make(chan int, 1)", a: "c <- 1; WRITE; close(c)", b: "<-c; <-c; READ"},
	{name: "close to receive by select", why: ofClose, decl: "c, d := make(chan int), make(chan int)", a: "WRITE; close(c)", b: "select { case <-c: case <-d: }; READ"},
	{name: "close to a send that panics while it waits", why: "the library: closing wakes the sender",
		decl: "c := make(chan int); p := make(chan int)", a: "<-p; WRITE; close(c)",
		b: "defer func() { if recover() != nil { READ } }(); close(p); c <- 1", none: true},
	{name: "receive to send", why: ofReceive, decl: "c := make(chan int)", a: "WRITE; <-c", b: "c <- 1; READ"},
	{name: "receive by select to send", why: ofReceive, decl: "c, d := make(chan int), make(chan int)", a: "WRITE; select { case <-c: case <-d: }", b: "c <- 1; READ"},
	{name: "receive to send by select", why: ofReceive, decl: "c, d := make(chan int), make(chan int)", a: "WRITE; <-c", b: "select { case c <- 1: case d <- 1: }; READ"},
	{name: "receive to send, buffered", why: ofReceive, decl: "c := make(chan int, 1)", none: true, a: "WRITE; <-c", b: "c <- 1; READ"},
	{name: "receive makes room", why: ofRoom, decl: "c := make(chan int, 1); c <- 1", a: "WRITE; <-c", b: "c <- 2; READ"},
	{name: "receive makes room for a select", why: ofRoom, decl: "c, d := make(chan int, 1), make(chan int); c <- 1", a: "WRITE; <-c", b: "select { case c <- 2: case d <- 1: }; READ"},
	{name: "receive makes room, of two", why: ofRoom, decl: "c := make(chan int, 2); c <- 1; c <- 2", a: "WRITE; <-c", b: "c <- 3; READ"},
	{name: "receive makes room for the next but one", why: ofRoom, decl: "c := make(chan int, 2); c <- 1", none: true, a: "WRITE; <-c", b: "c <- 2; READ"},
	{name: "room in a channel of nothing", why: ofRoom, decl: "c := make(chan struct{}, 2); c <- struct{}{}", none: true, a: "WRITE; <-c", b: "c <- struct{}{}; READ"},
	{name: "semaphore", why: ofRoom, decl: "c := make(chan int, 1); done := false", a: "c <- 1; WRITE; done = true; <-c", b: "c <- 1; if done { READ }; <-c"},
	{name: "semaphore of two", why: ofRoom, decl: "c := make(chan int, 2)", none: true, a: "c <- 1; WRITE; <-c", b: "c <- 1; READ; <-c"},
	{name: "length of a channel", why: unsaid, decl: "c := make(chan int, 1)", none: true, a: "WRITE; c <- 1", b: "if len(c) == 1 { READ }"},
	{name: "capacity of a channel", why: unsaid, decl: "c := make(chan int, 1)", none: true, a: "WRITE; c <- 1", b: "if cap(c) == 1 { READ }"},
	{name: "default of a receive", why: unsaid, decl: "c := make(chan int, 1); c <- 1", none: true, a: "WRITE; select { case <-c: default: }", b: "select { case <-c: default: READ }"},
	{name: "default of a send", why: unsaid, decl: "c := make(chan int, 1)", none: true, a: "WRITE; select { case c <- 1: default: }", b: "select { case c <- 2: default: READ }"},
	{name: "close by one who recovers", why: unsaid, decl: "c := make(chan int)", none: true, a: "WRITE; defer func() { recover() }(); close(c)",
		b: "defer func() { if recover() != nil { READ } }(); close(c)"},
	{name: "panic", why: "the language: deferred calls run in the goroutine that panics, before WaitGroup.Done here", decl: "var wg sync.WaitGroup; wg.Add(1)",
		a: "defer wg.Done(); defer func() { recover() }(); WRITE; panic(1)", b: "wg.Wait(); READ",
		late: "defer func() { WRITE }(); defer wg.Done(); defer func() { recover() }(); panic(1)"},
	{name: "Goexit", why: "package runtime: Goexit runs all deferred calls", decl: "c := make(chan int)",
		a: "go func() { defer close(c); WRITE; runtime.Goexit() }()", b: "<-c; READ",
		late: "go func() { defer func() { WRITE }(); defer close(c); runtime.Goexit() }()"},
	{name: "iter.Pull, to the sequence", why: "package iter: next resumes the sequence, a coroutine",
		decl: "next, stop := iter.Pull(func(yield func(int) bool) { READ; yield(1) }); c := make(chan int)", alone: true,
		a: "defer stop(); go func() { WRITE; close(c) }(); <-c; next()", late: "defer stop(); go func() { close(c); WRITE }(); <-c; next()"},
	{name: "iter.Pull, from the sequence", why: "package iter: yield returns to who called next", decl: "c := make(chan int)", alone: true,
		a:    "next, stop := iter.Pull(func(yield func(int) bool) { go func() { WRITE; close(c) }(); <-c; yield(1) }); next(); READ; stop()",
		late: "next, stop := iter.Pull(func(yield func(int) bool) { go func() { close(c); WRITE }(); <-c; yield(1) }); next(); READ; stop()"},
	{name: "iter.Pull, stop", why: "package iter: stop waits for the sequence to return", decl: "c := make(chan int)", alone: true,
		a:    "next, stop := iter.Pull(func(yield func(int) bool) { yield(1); go func() { WRITE; close(c) }(); <-c }); next(); stop(); READ",
		late: "next, stop := iter.Pull(func(yield func(int) bool) { yield(1); go func() { close(c); WRITE }(); <-c }); next(); stop(); READ"},
}

// runtimeRows are about what orders nothing.
var runtimeRows = []row{
	{name: "runtime.Gosched", why: unsaid, none: true, a: "WRITE; runtime.Gosched()", b: "runtime.Gosched(); READ"},
	{name: "runtime.Gosched, after another has begun", why: unsaid, decl: "var v, w atomic.Int32", none: true, a: "v.Store(1); WRITE; w.Add(1)", b: "if v.Load() == 1 { runtime.Gosched(); READ }"},
	{name: "runtime.NumGoroutine", why: unsaid, none: true, a: "WRITE", b: "if runtime.NumGoroutine() < 1000 { READ }"},
	{name: "runtime.GC", why: unsaid, none: true, a: "WRITE; runtime.GC()", b: "runtime.GC(); READ"},
	{name: "runtime.LockOSThread", why: unsaid, none: true, a: "WRITE; runtime.LockOSThread(); runtime.UnlockOSThread()", b: "runtime.LockOSThread(); READ"},
	{name: "runtime.KeepAlive", why: unsaid, none: true, a: "WRITE; runtime.KeepAlive(x)", b: "runtime.KeepAlive(x); READ"},
	{name: "unique.Make", why: unsaid, none: true, a: "WRITE; unique.Make(\"a\")", b: "unique.Make(\"a\"); READ"},
	{name: "weak.Pointer", why: unsaid, decl: "w := weak.Make(x)", none: true, a: "WRITE", b: "if w.Value() != nil { READ }", part: "weak.Pointer.Value"},
	{name: "fmt.Sprint", why: unsaid, none: true, a: "WRITE; _ = fmt.Sprint(1)", b: "_ = fmt.Sprint(1); READ"},
	{name: "rand.Int", why: unsaid, none: true, a: "WRITE; rand.Int()", b: "rand.Int(); READ"},
}
