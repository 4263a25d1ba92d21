package edges

const (
	ofEnv    = "package syscall: a lock of the environment, an RWMutex"
	ofFile   = "package syscall, as the race detector sees it: each write to a file is before each later read of one"
	ofPipe   = "package io: a Write returns when Reads have taken all of it, or the other end is closed; by channels"
	ofLogger = "package log: a Logger has a lock, and prefix and flags are atomic"
	ofSlog   = "package log/slog: a handler has a lock"
	ofExpvar = "package expvar: its variables are atomic"

	fromEnv = "os.Unsetenv(\"EDGE\")"
	aFile   = "f, err := os.Create(t.TempDir() + \"/f\"); if err != nil { t.Fatal(err) }; defer f.Close(); name := f.Name(); _ = name"
)

// osRows are about package os.
var osRows = []row{
	{name: "Setenv to Getenv", why: ofEnv, decl: fromEnv, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "if os.Getenv(\"EDGE\") == \"1\" { READ }", part: "os.Getenv"},
	{name: "Setenv to LookupEnv", why: ofEnv, decl: fromEnv, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "if _, ok := os.LookupEnv(\"EDGE\"); ok { READ }", part: "os.LookupEnv"},
	{name: "Setenv to Environ", why: ofEnv, decl: fromEnv, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "if slices.Contains(os.Environ(), \"EDGE=1\") { READ }", part: "os.Environ"},
	{name: "Setenv to ExpandEnv", why: ofEnv, decl: fromEnv, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "if os.ExpandEnv(\"$EDGE\") == \"1\" { READ }", part: "os.ExpandEnv"},
	{name: "Unsetenv to Getenv", why: ofEnv, decl: "os.Setenv(\"EDGE\", \"1\")", a: "WRITE; os.Unsetenv(\"EDGE\")", b: "if os.Getenv(\"EDGE\") == \"\" { READ }", part: "os.Getenv"},
	{name: "Clearenv to Getenv", why: ofEnv, decl: "os.Setenv(\"EDGE\", \"1\")", a: "WRITE; os.Clearenv()", b: "if os.Getenv(\"EDGE\") == \"\" { READ }", part: "os.Getenv"},
	{name: "syscall.Setenv to Getenv", why: ofEnv, decl: fromEnv, a: "WRITE; syscall.Setenv(\"EDGE\", \"1\")", b: "if v, _ := syscall.Getenv(\"EDGE\"); v == \"1\" { READ }", part: "syscall.Getenv"},
	{name: "Setenv to Setenv", why: ofEnv, decl: fromEnv, none: true, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "os.Setenv(\"EDGE\", \"2\"); READ"},
	{name: "Getenv to Getenv", why: ofEnv, decl: fromEnv, none: true, a: "WRITE; os.Getenv(\"EDGE\")", b: "os.Getenv(\"EDGE\"); READ"},
	{name: "Setenv that is not seen", why: ofEnv, decl: fromEnv, none: true, a: "WRITE; os.Setenv(\"EDGE\", \"1\")", b: "if os.Getenv(\"EDGE\") == \"\" { READ }"},
	{name: "Getpid", why: unsaid, none: true, a: "WRITE; os.Getpid()", b: "os.Getpid(); READ"},
	{name: "Write to Read of a file", why: ofFile, decl: aFile, a: "WRITE; os.WriteFile(name, []byte(\"1\"), 0o666)", b: "if p, _ := os.ReadFile(name); len(p) == 1 { READ }", part: "os.ReadFile"},
	{name: "Write to ReadAt of a file", why: ofFile, decl: aFile, a: "WRITE; f.Write([]byte(\"1\"))", b: "if n, _ := f.ReadAt(make([]byte, 1), 0); n == 1 { READ }"},
	{name: "Write to Read of a file with two names", why: ofFile, decl: aFile + "; other := name + \"2\"; os.Link(name, other)", a: "WRITE; f.Write([]byte(\"1\"))", b: "if p, _ := os.ReadFile(other); len(p) == 1 { READ }"},
	{name: "Mkdir to Stat", why: unsaid, decl: "name := t.TempDir() + \"/d\"", none: true, a: "WRITE; os.Mkdir(name, 0o777)", b: "if _, err := os.Stat(name); err == nil { READ }"},
	{name: "Remove to Stat", why: unsaid, decl: aFile, none: true, a: "WRITE; os.Remove(name)", b: "if _, err := os.Stat(name); err != nil { READ }"},
	{name: "Chdir to Getwd", why: unsaid, decl: "dir := t.TempDir(); t.Chdir(\".\")", none: true, a: "WRITE; os.Chdir(dir)", b: "if d, _ := os.Getwd(); d == dir { READ }"},
	{name: "os.Pipe, Write to Read", why: ofFile, decl: "r, w, _ := os.Pipe(); defer r.Close(); defer w.Close()", a: "WRITE; w.Write([]byte(\"1\"))", b: "r.Read(make([]byte, 1)); READ", part: "os.File.Read"},
	{name: "os.Pipe, Close to Read", why: unsaid, decl: "r, w, _ := os.Pipe(); defer r.Close()", none: true, lenient: "who has read the end knows that the pipe was closed", part: "os.File.Read", a: "WRITE; w.Close()", b: "r.Read(make([]byte, 1)); READ"},
	{name: "os.Pipe, Read to Write", why: unsaid, decl: "r, w, _ := os.Pipe(); defer r.Close(); defer w.Close(); w.Write([]byte(\"1\"))", none: true, a: "WRITE; r.Read(make([]byte, 1))", b: "w.Write([]byte(\"2\")); READ"},
	{name: "signal.Notify to a signal", why: "package os/signal: its handlers have a lock", decl: "c := make(chan os.Signal, 1); p := make(chan int, 1)", alone: true,
		a:    "WRITE; signal.Notify(c, syscall.SIGUSR1); syscall.Kill(syscall.Getpid(), syscall.SIGUSR1); <-c; READ; signal.Stop(c); _ = p",
		late: "signal.Notify(c, syscall.SIGUSR1); syscall.Kill(syscall.Getpid(), syscall.SIGUSR1); go func() { WRITE; p <- 1 }(); <-c; READ; <-p; signal.Stop(c)"},
	{name: "signal to its receipt", why: "package os/signal says nothing of who sends a signal", decl: "c := make(chan os.Signal, 1); signal.Notify(c, syscall.SIGUSR1); defer signal.Stop(c)", none: true, lenient: "who has a signal knows that it was sent",
		a: "WRITE; syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)", b: "<-c; READ"},
}

const (
	aListener   = "l, err := net.Listen(\"tcp\", \"127.0.0.1:0\"); if err != nil { t.Fatal(err) }; defer l.Close()"
	aConnection = aListener + "; c, _ := net.Dial(\"tcp\", l.Addr().String()); defer c.Close(); s, _ := l.Accept(); defer s.Close()"

	// Package syscall tells the race detector of reads and writes only, and the poller of nothing.
	ofPoller = "the poller does not tell the race detector of what wakes up a goroutine"
)

// netRows are about sockets.
var netRows = []row{
	{name: "net, Write to Read", why: ofFile, decl: aConnection, a: "WRITE; c.Write([]byte(\"1\"))", b: "s.Read(make([]byte, 1)); READ"},
	{name: "net, Read to Write", why: unsaid, decl: aConnection + "; c.Write([]byte(\"1\"))", none: true, a: "WRITE; s.Read(make([]byte, 1))", b: "c.Write([]byte(\"2\")); READ"},
	{name: "net, Read to a Write that waits for room", why: "TCP: a Write waits until what is sent is read", decl: aConnection, native: ofPoller, part: "256 KiB",
		a: "WRITE; io.CopyN(io.Discard, s, 8<<20)", b: "c.Write(make([]byte, 8<<20)); READ"},
	{name: "net, Close of a listener to Accept", why: "package net: Accept returns an error then", decl: aListener, a: "WRITE; l.Close()", b: "l.Accept(); READ"},
	{name: "net, Close of a listener to a Read of what it has not accepted", why: "TCP: the connection is reset", decl: aListener + "; c, _ := net.Dial(\"tcp\", l.Addr().String()); defer c.Close()",
		native: ofPoller, a: "WRITE; l.Close()", b: "c.Read(make([]byte, 1)); READ"},
}

// logRows are about packages log, log/slog and expvar, and others that keep something.
var logRows = []row{
	{name: "Logger, its lock", why: ofLogger, decl: "w := new(seen); l := log.New(w, \"\", 0)", a: "WRITE; l.Print(\"a\")", b: "l.Print(\"b\"); if w.saw { READ }"},
	{name: "Logger, SetPrefix to Prefix", why: ofLogger, decl: "l := log.New(io.Discard, \"\", 0)", a: "WRITE; l.SetPrefix(\"a\")", b: "if l.Prefix() == \"a\" { READ }"},
	{name: "Logger, SetFlags to Flags", why: ofLogger, decl: "l := log.New(io.Discard, \"\", 0)", a: "WRITE; l.SetFlags(1)", b: "if l.Flags() == 1 { READ }"},
	{name: "Logger, SetOutput to Writer", why: ofLogger, decl: "l := log.New(io.Discard, \"\", 0); w := new(bytes.Buffer)", a: "WRITE; l.SetOutput(w)", b: "if l.Writer() == w { READ }"},
	{name: "Logger, other", why: unsaid, decl: "l, m := log.New(io.Discard, \"\", 0), log.New(io.Discard, \"\", 0)", none: true, a: "WRITE; l.Print(1)", b: "m.Print(1); READ"},
	{name: "slog, lock of a TextHandler", why: ofSlog, decl: "w := new(seen); l := slog.New(slog.NewTextHandler(w, nil))", a: "WRITE; l.Info(\"a\")", b: "l.Info(\"b\"); if w.saw { READ }"},
	{name: "slog, lock of a JSONHandler", why: ofSlog, decl: "w := new(seen); l := slog.New(slog.NewJSONHandler(w, nil))", a: "WRITE; l.Info(\"a\")", b: "l.With(\"k\", 1).Info(\"b\"); if w.saw { READ }"},
	{name: "slog, MultiHandler", why: ofSlog, decl: "w := new(seen); l := slog.New(slog.NewMultiHandler(slog.NewTextHandler(w, nil), slog.DiscardHandler))", a: "WRITE; l.Info(\"a\")", b: "l.Info(\"b\"); if w.saw { READ }"},
	{name: "slog, LevelVar", why: "package log/slog: a LevelVar is atomic", decl: "var v slog.LevelVar", a: "WRITE; v.Set(slog.LevelWarn)", b: "if v.Level() == slog.LevelWarn { READ }"},
	{name: "slog, SetDefault", why: "package log/slog: the default Logger is atomic", decl: "l, was := slog.New(slog.DiscardHandler), slog.Default(); defer slog.SetDefault(was)", a: "WRITE; slog.SetDefault(l)", b: "if slog.Default() == l { READ }"},
	{name: "expvar.Int", why: ofExpvar, decl: "v := new(expvar.Int)", a: "WRITE; v.Set(1)", b: "if v.Value() == 1 { READ }"},
	{name: "expvar.Int, Add", why: ofExpvar, decl: "v := new(expvar.Int)", a: "WRITE; v.Add(1)", b: "if v.Value() == 1 { READ }"},
	{name: "expvar.Float", why: ofExpvar, decl: "v := new(expvar.Float)", a: "WRITE; v.Set(1)", b: "if v.Value() == 1 { READ }"},
	{name: "expvar.Float, Add", why: ofExpvar, decl: "v := new(expvar.Float)", a: "WRITE; v.Add(1)", b: "if v.Value() == 1 { READ }"},
	{name: "expvar.String", why: ofExpvar, decl: "v := new(expvar.String)", a: "WRITE; v.Set(\"a\")", b: "if v.Value() == \"a\" { READ }"},
	{name: "expvar.Map", why: ofExpvar, decl: "v := new(expvar.Map)", a: "WRITE; v.Add(\"a\", 1)", b: "if v.Get(\"a\") != nil { READ }"},
	{name: "expvar.Map, Do", why: ofExpvar, decl: "v := new(expvar.Map)", a: "WRITE; v.Add(\"a\", 1)", b: "v.Do(func(expvar.KeyValue) { READ })"},
	{name: "expvar.Map, Do to Add", why: "package expvar: keys have a lock, an RWMutex, and Do calls f under it", decl: "v := new(expvar.Map).Init(); v.Add(\"b\", 1); second := false",
		a: "v.Do(func(kv expvar.KeyValue) { if kv.Key == \"a\" { second = true } else if !second { WRITE } })", b: "v.Add(\"a\", 1); READ",
		late: "v.Do(func(kv expvar.KeyValue) { if kv.Key == \"a\" { second = true } }); if !second { WRITE }"},
	{name: "mime types", why: "package mime: its maps are of package sync", decl: "ext := fmt.Sprint(\".e\", calls.Add(1))", a: "WRITE; mime.AddExtensionType(ext, \"text/edge\")", b: "if mime.TypeByExtension(ext) != \"\" { READ }"},
	{name: "http.ServeMux", why: "package net/http: a ServeMux has a lock", decl: "m := http.NewServeMux()", a: "WRITE; m.HandleFunc(\"/a\", func(http.ResponseWriter, *http.Request) { })",
		b: "if _, p := m.Handler(httptest.NewRequest(\"GET\", \"/a\", nil)); p != \"\" { READ }"},
	{name: "bufio over io.Pipe", why: ofPipe, decl: "r, w := io.Pipe(); in := bufio.NewReader(r)", a: "WRITE; w.Write([]byte(\"1\\n\"))", b: "in.ReadString('\\n'); READ"},
	{name: "io.Pipe, Write to Read", why: ofPipe, decl: "r, w := io.Pipe()", a: "WRITE; w.Write([]byte(\"1\"))", b: "r.Read(make([]byte, 1)); READ"},
	{name: "io.Pipe, Read to Write", why: ofPipe, decl: "r, w := io.Pipe()", a: "WRITE; r.Read(make([]byte, 1))", b: "w.Write([]byte(\"1\")); READ"},
	{name: "io.Pipe, Close to Read", why: ofPipe, decl: "r, w := io.Pipe()", a: "WRITE; w.Close()", b: "r.Read(make([]byte, 1)); READ"},
	{name: "io.Pipe, Close to Write", why: ofPipe, decl: "r, w := io.Pipe()", a: "WRITE; r.Close()", b: "w.Write([]byte(\"1\")); READ"},
	{name: "net.Pipe, Write to Read", why: "package net: by channels", decl: "r, w := net.Pipe()", a: "WRITE; w.Write([]byte(\"1\"))", b: "r.Read(make([]byte, 1)); READ"},
	{name: "net.Pipe, Read to Write", why: "package net: by channels", decl: "r, w := net.Pipe()", a: "WRITE; r.Read(make([]byte, 1))", b: "w.Write([]byte(\"1\")); READ"},
	{name: "net.Pipe, Close to Read", why: "package net: by channels", decl: "r, w := net.Pipe()", a: "WRITE; w.Close()", b: "r.Read(make([]byte, 1)); READ"},
}

// testingRows are about packages testing and testing/synctest.
var testingRows = []row{
	{name: "T.Run", why: "package testing: Run waits for the subtest", alone: true, a: "c := make(chan int); t.Run(\"\", func(t *testing.T) { go func() { WRITE; close(c) }(); <-c }); READ",
		late: "c := make(chan int); t.Run(\"\", func(t *testing.T) { go func() { close(c); WRITE }(); <-c }); READ"},
	{name: "T.Run, to the subtest", why: "package testing: Run starts it", alone: true, a: "c := make(chan int); go func() { WRITE; close(c) }(); <-c; t.Run(\"\", func(*testing.T) { READ })",
		late: "c := make(chan int); go func() { close(c); WRITE }(); <-c; t.Run(\"\", func(*testing.T) { READ })"},
	{name: "end of a parallel subtest", why: "package testing: Run waits for the parallel subtests of the subtest", alone: true,
		a:    "t.Run(\"\", func(t *testing.T) { t.Run(\"\", func(t *testing.T) { t.Parallel(); WRITE }) }); READ",
		late: "c := make(chan int); t.Run(\"\", func(t *testing.T) { t.Run(\"\", func(t *testing.T) { t.Parallel(); go func() { close(c); WRITE }(); <-c }) }); READ"},
	{name: "parallel subtests", why: unsaid, none: true, alone: true,
		a: "t.Run(\"\", func(t *testing.T) { t.Parallel(); WRITE }); t.Run(\"\", func(t *testing.T) { t.Parallel(); READ })"},
	{name: "end of the test function to a parallel subtest", why: "package testing: a parallel subtest goes on when its parent has returned", alone: true,
		a: "t.Run(\"\", func(t *testing.T) { t.Parallel(); READ }); WRITE", late: "go func() { WRITE }(); t.Run(\"\", func(t *testing.T) { t.Parallel(); READ })"},
	{name: "T.Cleanup", why: "package testing: the test calls it when it and its subtests are over", alone: true,
		a: "t.Cleanup(func() { READ }); t.Run(\"\", func(t *testing.T) { t.Parallel(); WRITE })", late: "t.Cleanup(func() { READ }); go func() { WRITE }()"},
	{name: "T.Context", why: "package testing: it is cancelled before what Cleanup was given is called", alone: true,
		a:    "c := make(chan int); go func() { <-t.Context().Done(); READ; close(c) }(); t.Cleanup(func() { <-c }); WRITE",
		late: "c := make(chan int); go func() { <-t.Context().Done(); READ; close(c) }(); t.Cleanup(func() { WRITE; <-c })"},
	{name: "T.Log", why: unsaid, none: true, a: "WRITE; t.Log(1)", b: "t.Log(1); READ"},
	{name: "T.Name", why: unsaid, none: true, a: "WRITE; t.Name()", b: "t.Name(); READ"},
	{name: "synctest.Wait", why: "testing/synctest: what goroutines of the bubble have done is before the return of Wait", alone: true,
		part: aTimer,
		a:    "synctest.Test(t, func(t *testing.T) { go func() { *x = 1 }(); synctest.Wait(); use(*x) })",
		late: "synctest.Test(t, func(t *testing.T) { go func() { time.Sleep(1); *x = 1 }(); synctest.Wait(); use(*x); time.Sleep(2) })"},
	{name: "synctest.Test", why: "testing/synctest: Test waits for the bubble", alone: true,
		a:    "synctest.Test(t, func(t *testing.T) { go func() { *x = 1 }() }); use(*x)",
		late: "c := make(chan int); go func() { *x = 1; close(c) }(); synctest.Test(t, func(t *testing.T) { }); use(*x); <-c"},
	{name: "synctest.Test, of a goroutine that a goroutine starts", why: "testing/synctest: Test waits for the bubble", alone: true,
		a:    "synctest.Test(t, func(t *testing.T) { go func() { go func() { *x = 1 }() }() }); use(*x)",
		late: "c := make(chan int); go func() { go func() { *x = 1; close(c) }() }(); synctest.Test(t, func(t *testing.T) { }); use(*x); <-c"},
	{name: "synctest.Test, of what a timer starts", why: "testing/synctest: Test waits for the bubble", alone: true,
		part: aTimer,
		a:    "synctest.Test(t, func(t *testing.T) { time.AfterFunc(1, func() { *x = 1 }); time.Sleep(1) }); use(*x)",
		late: "c := make(chan int); time.AfterFunc(1, func() { *x = 1; close(c) }); synctest.Test(t, func(t *testing.T) { }); use(*x); <-c"},
	{name: "synctest.Test, of what the end of a context starts", why: "testing/synctest: Test waits for the bubble", alone: true,
		part: aTimer,
		a:    "synctest.Test(t, func(t *testing.T) { context.AfterFunc(t.Context(), func() { *x = 1 }) }); use(*x)",
		late: "c := make(chan int); d, cancel := context.WithCancel(context.Background()); context.AfterFunc(d, func() { *x = 1; close(c) }); cancel(); synctest.Test(t, func(t *testing.T) { }); use(*x); <-c"},
	{name: "synctest.Wait, of a goroutine outside", why: "testing/synctest: it waits for the bubble", alone: true, none: true,
		a: "go func() { *x = 1 }(); synctest.Test(t, func(t *testing.T) { synctest.Wait(); use(*x) })"},
	{name: "synctest, sleep", why: "testing/synctest: a sleep orders nothing", alone: true, none: true,
		a: "synctest.Test(t, func(t *testing.T) { go func() { *x = 1 }(); time.Sleep(1); use(*x) })"},
}
