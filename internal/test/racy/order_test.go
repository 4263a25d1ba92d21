package racy

// guard is what a statement, written @, may be done under. Some of them do it only if
// nobody else is there, or has been there.
type guard struct{ name, decl, text string }

var guards = []guard{
	{"mutex", "var mu sync.Mutex", "mu.Lock(); @; mu.Unlock()"},
	{"deferred", "var mu sync.Mutex", "func() { mu.Lock(); defer mu.Unlock(); @ }()"},
	{"try", "var mu sync.Mutex", "if mu.TryLock() { @; mu.Unlock() }"},
	{"write", "var rw sync.RWMutex", "rw.Lock(); @; rw.Unlock()"},
	{"read", "var rw sync.RWMutex", "rw.RLock(); @; rw.RUnlock()"},
	{"locker", "var rw sync.RWMutex", "rw.RLocker().Lock(); @; rw.RLocker().Unlock()"},
	{"other mutex", "var mu2 sync.Mutex", "mu2.Lock(); @; mu2.Unlock()"},
	{"semaphore", "sem := make(chan int, 1)", "sem <- 1; @; <-sem"},
	{"two places", "sem2 := make(chan int, 2)", "sem2 <- 1; @; <-sem2"},
	{"token", "tok := make(chan int, 1); tok <- 1", "<-tok; @; tok <- 1"},
	{"once", "var once sync.Once", "once.Do(func() { @ })"},
	{"flag", "var taken atomic.Bool", "if taken.CompareAndSwap(false, true) { @ }"},
	{"spin", "var spin atomic.Int32", "for !spin.CompareAndSwap(0, 1) { runtime.Gosched() }; @; spin.Store(0)"},
	{"count", "var count atomic.Int32", "if count.Add(1) == 1 { @ }"},
	{"stored", "var stored sync.Map", "if _, was := stored.LoadOrStore(1, 2); !was { @ }"},
	{"locked after", "var mu sync.Mutex", "mu.Lock(); mu.Unlock(); @"},
	{"locked before", "var mu sync.Mutex", "@; mu.Lock(); mu.Unlock()"},
	{"read before", "var rw sync.RWMutex", "@; rw.RLock(); rw.RUnlock()"},
	{"added before", "var count atomic.Int32", "@; count.Add(1)"},
	{"slept", "", "time.Sleep(time.Millisecond); @"},
	{"printed", "", "fmt.Sprint(1); @; fmt.Sprint(2)"},
	{"logged", "lg := log.New(new(bytes.Buffer), \"\", 0)", "lg.Print(1); @; lg.Print(2)"},
	{"pooled", "var pool sync.Pool", "pool.Put(pool.Get()); @; pool.Put(1)"},
	{"nested", "", "{ done := make(chan int); go func() { @; close(done) }(); <-done }"},
	{"inner group", "", "{ var in sync.WaitGroup; in.Go(func() { @ }); in.Wait() }"},
	{"inner errors", "", "{ var in group; in.Go(func() error { @; return nil }); in.Wait() }"},
}

// edge is something by which what a goroutine has done may come before what another
// does: a release, which never waits but where both wait for each other, and an acquire,
// @ being what comes after it.
type edge struct {
	name, decl, release, acquire string
	meet                         bool // both wait
}

var edges = []edge{
	{"close", "c# := make(chan int)", "close(c#)", "<-c#; @", false},
	{"buffered", "c# := make(chan int, 1)", "c# <- 1", "<-c#; @", false},
	{"unbuffered", "c# := make(chan int)", "c# <- 1", "<-c#; @", true},
	{"backwards", "c# := make(chan int)", "<-c#", "c# <- 1; @", true},
	{"buffered backwards", "c# := make(chan int, 1)", "select { case <-c#: default: }", "c# <- 1; @", false},
	{"range", "c# := make(chan int, 1)", "c# <- 1; close(c#)", "for range c# { @ }", false},
	{"select", "c#, d# := make(chan int, 1), make(chan int)", "select { case c# <- 1: case <-d#: }", "select { case <-c#: case <-d#: }; @", false},
	{"tried", "c# := make(chan int, 1)", "c# <- 1", "select { case <-c#: @; default: }", false},
	{"try to send", "c# := make(chan int)", "select { case c# <- 1: default: }", "select { case <-c#: @; default: }", false},
	{"length", "c# := make(chan int, 1)", "c# <- 1", "if len(c#) == 1 { @ }", false},
	{"group", "var w# sync.WaitGroup; w#.Add(1)", "w#.Done()", "w#.Wait(); @", false},
	{"used group", "var w# sync.WaitGroup; w#.Go(func() { }); w#.Wait(); w#.Add(1)", "w#.Done()", "w#.Wait(); @", false},
	{"cancel", "x#, stop# := context.WithCancel(context.Background())", "stop#()", "<-x#.Done(); @", false},
	{"cancelled", "x#, stop# := context.WithCancel(context.Background())", "stop#()", "if x#.Err() != nil { @ }", false},
	{"cause", "x#, stop# := context.WithCancelCause(context.Background())", "stop#(io.EOF)", "if context.Cause(x#) != nil { @ }", false},
	{"child", "x#, stop# := context.WithCancel(context.Background()); y#, end# := context.WithCancel(x#); defer end#()", "stop#()", "<-y#.Done(); @", false},
	{"after", "x#, stop# := context.WithCancel(context.Background()); c# := make(chan int); context.AfterFunc(x#, func() { close(c#) })", "stop#()", "<-c#; @", false},
	{"cond", "var m# sync.Mutex; k# := sync.NewCond(&m#); set# := false", "m#.Lock(); set# = true; k#.Broadcast(); m#.Unlock()", "m#.Lock(); for !set# { k#.Wait() }; m#.Unlock(); @", false},
	{"flag", "var f# atomic.Bool", "f#.Store(true)", "if f#.Load() { @ }", false},
	{"polled", "var f# atomic.Bool", "f#.Store(true)", "for !f#.Load() { runtime.Gosched() }; @", false},
	{"old flag", "var f# int32", "atomic.StoreInt32(&f#, 1)", "if atomic.LoadInt32(&f#) == 1 { @ }", false},
	{"added", "var f# atomic.Int64", "f#.Add(1)", "if f#.Add(0) == 1 { @ }", false},
	{"swapped", "var f# atomic.Int64", "f#.Swap(1)", "if f#.CompareAndSwap(1, 2) { @ }", false},
	{"failed swap", "var f# atomic.Int64", "f#.CompareAndSwap(0, 1)", "if !f#.CompareAndSwap(0, 0) { @ }", false},
	{"masked", "var f# atomic.Uint32", "f#.Or(3)", "if f#.And(1) != 0 { @ }", false},
	{"only stores", "var f# atomic.Int64", "f#.Store(1)", "f#.Store(2); @", false},
	{"only loads", "var f# atomic.Int64", "f#.Load()", "f#.Load(); @", false},
	{"value", "var f# atomic.Value", "f#.Store(1)", "if f#.Load() != nil { @ }", false},
	{"pointer", "var f# atomic.Pointer[int]", "f#.Store(new(int))", "if f#.Load() != nil { @ }", false},
	{"map", "var m# sync.Map", "m#.Store(1, 2)", "if _, ok := m#.Load(1); ok { @ }", false},
	{"map range", "var m# sync.Map", "m#.Store(1, 2)", "m#.Range(func(_, _ any) bool { @; return true })", false},
	{"map delete", "var m# sync.Map; m#.Store(1, 2)", "m#.Delete(1)", "if _, ok := m#.Load(1); !ok { @ }", false},
	{"pool", "var p# sync.Pool", "p#.Put(1)", "if p#.Get() != nil { @ }", false},
	{"once", "var o# sync.Once; n# := 0", "o#.Do(func() { n#++ })", "o#.Do(func() { }); @", false},
	{"once value", "o# := sync.OnceValue(func() int { return 1 })", "o#()", "o#(); @", false},
	{"pipe", "r#, w# := io.Pipe()", "w#.Close()", "r#.Read(make([]byte, 1)); @", false},
	{"pipe bytes", "r#, w# := io.Pipe()", "w#.Write([]byte(\"a\"))", "r#.Read(make([]byte, 1)); @", true},
	{"timer", "c# := make(chan int, 1)", "time.AfterFunc(time.Microsecond, func() { c# <- 1 })", "<-c#; @", false},
	{"locked flag", "var m# sync.Mutex; set# := false", "m#.Lock(); set# = true; m#.Unlock()", "m#.Lock(); was# := set#; m#.Unlock(); if was# { @ }", false},
	{"read flag", "var m# sync.RWMutex; set# := false", "m#.Lock(); set# = true; m#.Unlock()", "m#.RLock(); was# := set#; m#.RUnlock(); if was# { @ }", false},
	{"buffer", "b# := struct { sync.Mutex; bytes.Buffer }{}", "b#.Lock(); b#.WriteByte('a'); b#.Unlock()", "b#.Lock(); was# := b#.Len() > 0; b#.Unlock(); if was# { @ }", false},
	{"environment", "os.Unsetenv(\"RACY\")", "os.Setenv(\"RACY\", \"#\")", "if os.Getenv(\"RACY\") == \"#\" { @ }", false},
	{"racy flag", "f# := false", "f# = true", "if f# { @ }", false},
}

// start is how goroutines begin, and how the test waits for them.
type start struct{ name, decl, first, text, join string }

var starts = []start{
	{"group", "var wg sync.WaitGroup", "", "wg.Go(func() { @ })", "wg.Wait()"},
	{"counted", "var wg sync.WaitGroup", "wg.Add(1)", "go func() { defer wg.Done(); @ }()", "wg.Wait()"},
	{"used group", "var wg sync.WaitGroup; wg.Go(func() { }); wg.Wait()", "", "wg.Go(func() { @ })", "wg.Wait()"},
	{"used counter", "var wg sync.WaitGroup; wg.Add(1); go wg.Done(); wg.Wait()", "wg.Add(1)", "go func() { @; wg.Done() }()", "wg.Wait()"},
	{"channel", "done := make(chan bool, 3); started := 0", "started++", "go func() { defer func() { done <- true }(); @ }()", "for range started { <-done }"},
	{"errors", "var eg group", "", "eg.Go(func() error { @; return nil })", "eg.Wait()"},
	{"closed", "var joins []chan int", "", "{ join := make(chan int); joins = append(joins, join); go func() { defer close(join); @ }() }", "for _, join := range joins { <-join }"},
	{"cleanup", "var wg sync.WaitGroup; t.Cleanup(wg.Wait)", "", "wg.Go(func() { @ })", ""},
	{"subtests", "", "", "t.Run(\"\", func(t *testing.T) { t.Parallel(); @ })", ""},
}
