package racy

// library are kinds of the standard library: containers, numbers, synchronisation.
var library = []kind{
	{name: "sync.Mutex", typ: "sync.Mutex", ops: `
		$.Lock(); $.Unlock()
		if $.TryLock() { $.Unlock() }
		{ var l sync.Locker = &$; l.Lock(); l.Unlock() }
		$ = sync.Mutex{}`},
	{name: "locked", typ: "locked", init: `$.m = map[string]int{}`, ops: `
		$.add("a")
		use($.get("a"))
		$.m["b"]++
		$.Lock(); $.n++; $.Unlock()
		$.RLock(); use($.n); $.RUnlock()
		$.RLock(); $.n++; $.RUnlock()
		if $.TryRLock() { use($.n); $.RUnlock() }
		if $.TryLock() { $.n++; $.Unlock() }
		{ l := $.RLocker(); l.Lock(); use($.n); l.Unlock() }
		use($.n)
		$.n++`},
	{name: "sync.Once", typ: "struct { sync.Once; n int }", ops: `
		$.Do(func() { $.n++ })
		$.Do(func() { })
		use($.n)
		$.Do(func() { $.n++ }); use($.n)
		$.Do(func() { }); use($.n)
		$.n++`},
	{name: "sync.OnceFunc", typ: "struct { f func(); n int }", init: "$.f = sync.OnceFunc(func() { $.n++ })", ops: `
		$.f()
		$.f(); use($.n)
		use($.n)
		$.n++
		$.f(); $.n++`},
	{name: "sync.OnceValue", typ: "func() *pair", init: "$ = sync.OnceValue(func() *pair { return new(pair) })", ops: `
		$()
		use($().a)
		$().a++
		$ = sync.OnceValue(func() *pair { return nil })`},
	{name: "sync.OnceValues", typ: "func() (*pair, error)", init: "$ = sync.OnceValues(func() (*pair, error) { return new(pair), nil })", ops: `
		$()
		if p, err := $(); err == nil { use(p.a) }
		if p, err := $(); err == nil { p.a++ }`},
	{name: "sync.Map", typ: "sync.Map", init: `$.Store("a", new(pair))`, ops: `
		$.Store("a", new(pair))
		$.Load("b")
		if v, ok := $.Load("a"); ok { v.(*pair).a++ }
		if v, ok := $.Load("a"); ok { use(v.(*pair).a) }
		if v, ok := $.LoadAndDelete("a"); ok { v.(*pair).a++ }
		{ p := &pair{1, 2}; if v, ok := $.LoadOrStore("c", p); ok { use(v.(*pair).a) } }
		{ p := new(pair); $.Store("c", p); p.a++ }
		if v, ok := $.Swap("a", new(pair)); ok { v.(*pair).a++ }
		{ v, _ := $.Load("a"); $.CompareAndSwap("a", v, new(pair)) }
		$.Range(func(k, v any) bool { use(v.(*pair).a); return true })
		$.Delete("a")
		$.Clear()`},
	{name: "sync.Pool", typ: "sync.Pool", init: "$.New = func() any { return new(pair) }", ops: `
		$.Put(new(pair))
		$.Get().(*pair).a++
		{ p := $.Get().(*pair); p.a++; $.Put(p) }
		{ p := $.Get().(*pair); $.Put(p); p.a++ }
		{ p := $.Get().(*pair); use(p.a); $.Put(p) }
		$.New = func() any { return &pair{1, 2} }`},
	{name: "sync.WaitGroup", typ: "sync.WaitGroup", ops: `
		$.Add(1); pause(); $.Done()
		$.Go(pause); $.Wait()
		$.Wait()
		$.Add(2); pause(); $.Add(-2)`},
	{name: "sync.Cond", typ: "struct { mu sync.Mutex; c *sync.Cond; n int }", init: "$.c = sync.NewCond(&$.mu)", ops: `
		$.c.Signal()
		$.c.Broadcast()
		$.mu.Lock(); $.n++; $.c.Broadcast(); $.mu.Unlock()
		$.c.L.Lock(); use($.n); $.c.L.Unlock()
		$.n++
		$.c = sync.NewCond(&$.mu)`},
	{name: "group", typ: "group", ops: `
		$.Go(func() error { pause(); return nil }); $.Wait()
		$.Go(func() error { return io.EOF }); use($.Wait())
		$.once.Do(func() { $.err = io.EOF })
		use($.err)`},
	{name: "context", typ: "struct { ctx context.Context; cancel context.CancelFunc; n int }", init: "$.ctx, $.cancel = context.WithCancel(context.WithValue(t.Context(), key{}, new(pair)))", ops: `
		$.cancel()
		use($.ctx.Err())
		if $.ctx.Err() != nil { use($.n) }
		select { case <-$.ctx.Done(): use($.n); default: }
		$.n++; $.cancel()
		$.n++
		use(context.Cause($.ctx))
		use($.ctx.Value(key{}))
		use($.ctx.Value(key{}).(*pair).a)
		$.ctx.Value(key{}).(*pair).a++
		{ stop := context.AfterFunc($.ctx, func() { }); stop() }
		{ c, cancel := context.WithCancel($.ctx); cancel(); use(c.Err()) }
		{ c, cancel := context.WithTimeout($.ctx, time.Hour); cancel(); use(c.Err()) }
		$.ctx = context.WithValue($.ctx, key{}, new(pair))
		use(fmt.Sprint($.ctx))`},
	{name: "list.List", typ: "*list.List", init: "$ = list.New(); $.PushBack(0)", ops: `
		$.PushBack(1)
		$.PushFront(2)
		use($.Len())
		if e := $.Front(); e != nil { use(e.Value) }
		if e := $.Back(); e != nil { $.Remove(e) }
		if e := $.Front(); e != nil { $.MoveToBack(e) }
		if e := $.Front(); e != nil { e.Value = 7 }
		for e := $.Front(); e != nil; e = e.Next() { use(e.Value) }
		$.Init()`},
	{name: "ring.Ring", typ: "*ring.Ring", init: "$ = ring.New(3)", ops: `
		$.Value = 1
		use($.Value)
		$ = $.Next()
		use($.Len())
		$.Do(func(v any) { use(v) })
		$.Link(ring.New(1))
		$.Unlink(1)`},
	{name: "heap", typ: "intHeap", init: "$ = intHeap{5, 3, 8}; heap.Init(&$)", ops: `
		heap.Push(&$, 4)
		if len($) > 0 { heap.Pop(&$) }
		if len($) > 0 { heap.Fix(&$, 0) }
		use($.Len())
		if len($) > 0 { use($[0]) }
		if len($) > 1 { $.Swap(0, 1) }`},
	{name: "rand.Rand", typ: "*rand.Rand", init: "$ = rand.New(rand.NewSource(1))", ops: `
		$.Int()
		$.Seed(3)
		$.Perm(3)
		$.Float64()
		$.Shuffle(3, func(i, j int) { })
		$.Read(make([]byte, 3))
		use($)
		$ = rand.New(rand.NewSource(2))`},
	{name: "randv2.Rand", typ: "*randv2.Rand", init: "$ = randv2.New(randv2.NewPCG(1, 2))", ops: `
		$.IntN(5)
		$.Uint64()
		$.Shuffle(3, func(i, j int) { })
		use($)`},
	{name: "big.Int", typ: "*big.Int", init: "$ = big.NewInt(1); $.Lsh($, 100)", ops: `
		$.Add($, big.NewInt(2))
		$.SetInt64(3)
		$.Mul($, $)
		use($.String())
		use($.Cmp(big.NewInt(7)))
		use($.Sign())
		use(new(big.Int).Add($, $))
		use(new(big.Int).Set($))
		use($.BitLen())
		use(fmt.Sprint($))
		$.Neg($)
		use($.Bytes())
		$.SetBit($, 3, 1)
		{ b, _ := $.MarshalJSON(); use(b) }`},
	{name: "big.Rat", typ: "big.Rat", init: "$.SetFrac64(3, 4)", ops: `
		$.Add(&$, big.NewRat(1, 2))
		use($.String())
		use($.Num())
		$.SetInt64(4)
		use($.Cmp(big.NewRat(1, 2)))`},
	{name: "big.Float", typ: "big.Float", init: "$.SetFloat64(1.5)", ops: `
		$.Add(&$, big.NewFloat(2))
		use($.String())
		$.SetPrec(70)
		{ f, _ := $.Float64(); use(f) }
		use($.Sign())`},
	{name: "reflect.Value", typ: "struct { v reflect.Value; p open }", init: "$.v = reflect.ValueOf(&$.p).Elem()", ops: `
		$.v.Field(0).SetInt(1)
		use($.v.Field(0).Int())
		use($.v.Field(1).Interface())
		use($.v.Interface())
		$.v.Set(reflect.Zero($.v.Type()))
		$.p.A++
		use($.p.B)
		use($.v.Type())
		$.v.Addr().MethodByName("Inc").Call(nil)
		use($.v.Field(0).IsZero())
		use($.v.Equal(reflect.ValueOf(open{})))
		use($.v.Comparable())
		$.v = reflect.ValueOf(&$.p).Elem()
		reflect.New($.v.Type()).Elem().Set($.v)`},
	{name: "reflect.MakeFunc", typ: "func(int) int", init: "{ n := 0; $ = reflect.MakeFunc(reflect.TypeOf($), func(a []reflect.Value) []reflect.Value { n++; return a }).Interface().(func(int) int) }", ops: `
		$(1)
		use(reflect.ValueOf($).Call([]reflect.Value{reflect.ValueOf(1)})[0].Int())
		use($)
		use(reflect.TypeOf($).NumIn())`},
	{name: "os", typ: "int", ops: `
		use(os.Getenv("HOME"))
		os.Setenv("RACY", "1")
		use(os.Environ())
		os.Unsetenv("RACY")
		use(os.ExpandEnv("$$HOME"))
		os.Getwd()
		os.Getpid()
		os.Hostname()
		os.TempDir()
		os.Stat("/")
		os.ReadFile("/dev/null")
		os.WriteFile("/dev/null", nil, 0o666)
		use(os.Args)
		$++
		use($)`},
	{name: "quiet", typ: "int", ops: `
		fmt.Sprint(1)
		fmt.Fprintf(io.Discard, "%v", pair{})
		regexp.MustCompile("a+").MatchString("aa")
		json.Marshal(pair{})
		log.New(io.Discard, "", 0).Print("x")
		time.Now()
		time.Sleep(time.Microsecond)
		rand.Int()
		unique.Make("a")
		reflect.TypeOf(pair{}).Method(0)
		strings.NewReplacer("a", "b").Replace("aab")
		template.Must(template.New("x").Parse("{{.}}")).Execute(io.Discard, 1)
		runtime.Gosched()
		runtime.NumGoroutine()
		mime.TypeByExtension(".html")
		time.LoadLocation("UTC")
		t.Log("x")
		t.Name()
		t.Helper()
		t.Cleanup(func() { })
		t.TempDir()
		http.StatusText(200)
		http.NewRequest("GET", "http://example.org", nil)
		new(flag.FlagSet).Parse(nil)
		gob.NewEncoder(io.Discard).Encode(3)
		xml.Marshal(3)
		sha256.New().Write([]byte("x"))
		gzip.NewWriter(io.Discard).Close()
		runtime.Caller(0)
		debug.Stack()
		$++
		use($)`},
	{name: "timer", typ: "struct { t *time.Timer; n int }", init: "$.t = time.NewTimer(time.Hour)", ops: `
		$.t.Stop()
		$.t.Reset(time.Hour)
		time.AfterFunc(time.Hour, func() { $.n++ }).Stop()
		select { case <-$.t.C: use($.n); default: }
		$.n++
		use($.n)
		$.t = time.NewTimer(time.Hour)`},
	{name: "after func", typ: "struct { done chan int; n int }", init: "$.done = make(chan int, 20)", ops: `
		time.AfterFunc(0, func() { $.done <- 1 }); <-$.done
		$.n++; time.AfterFunc(0, func() { $.n++; $.done <- 1 }); <-$.done
		select { case <-time.After(time.Microsecond): $.n++; case <-$.done: $.n++; $.done <- 1 }
		$.n++
		use($.n)`},
}
