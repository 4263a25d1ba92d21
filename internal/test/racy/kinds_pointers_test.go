package racy

// pointers are the kinds of the language that lead to something else: pointers, interfaces,
// functions, channels.
var pointers = []kind{
	{name: "*node", typ: "*node", init: "$ = &node{next: &node{}}", ops: `
		$ = &node{n: 1, next: $}
		$.n++
		$.next = &node{n: 3}
		if $.next != nil { $.next.n = 5 }
		for x := $; x != nil; x = x.next { use(x.n) }
		use($)
		use($ == nil)
		use(*$)
		*$ = node{n: 7}
		use($.len())
		if $.next != nil { $ = $.next }
		{ b, _ := json.Marshal($); use(b) }
		use(fmt.Sprintf("%v", *$))`},
	{name: "any", typ: "any", init: "$ = 1", ops: `
		$ = 2
		$ = "s"
		$ = pair{1, 2}
		$ = nil
		use($)
		{ _, ok := $.(int); use(ok) }
		if n, ok := $.(int); ok { use(n) }
		switch v := $.(type) { case int: use(v); case string: use(v) }
		use($ == any(1))
		use($ == nil)
		use(fmt.Sprint($))
		use(reflect.TypeOf($))
		{ m := map[any]int{}; m[$]++ }
		json.Unmarshal([]byte("{\"a\":1}"), &$)`},
	{name: "error", typ: "error", init: "$ = io.EOF", ops: `
		$ = errors.New("x")
		$ = fmt.Errorf("y: %w", io.EOF)
		$ = errors.Join($, io.EOF)
		$ = nil
		use($ == nil)
		use($ == io.EOF)
		use(errors.Is($, os.ErrExist))
		if $ != nil { use($.Error()) }
		use(errors.Unwrap($))
		use(errors.Join(io.EOF, $))
		use(fmt.Sprint($))
		{ var e *os.PathError; use(errors.As($, &e)) }`},
	{name: "func", typ: "func() int", init: "$ = func() int { return 1 }", ops: `
		$ = func() int { return 2 }
		$()
		use($ == nil)
		use($)
		{ f := $; f() }
		defer $()
		func(f func() int) { f() }($)`},
	{name: "counter closure", typ: "func() int", init: "{ n := 0; $ = func() int { n++; return n } }", ops: `
		$()
		use($)
		{ f := $; use(f()) }
		$ = func() int { return 0 }`},
	{name: "iterator", typ: "iter.Seq[int]", init: "{ n := 0; $ = func(yield func(int) bool) { n++; yield(n) } }", ops: `
		for v := range $ { use(v) }
		use($)
		use(slices.Collect($))
		{ next, stop := iter.Pull($); next(); stop() }
		$ = slices.Values([]int{1})`},
	{name: "chan int", typ: "chan int", init: "$ = make(chan int, 20)", ops: `
		$ = make(chan int, 20)
		use(len($))
		use(cap($))
		select { case $ <- 1: default: }
		select { case <-$: default: }
		$ <- 1
		use($)
		use($ == nil)`},
	{name: "chan *pair", typ: "chan *pair", init: "$ = make(chan *pair, 20); $ <- new(pair)", ops: `
		$ <- new(pair)
		{ p := new(pair); $ <- p; p.a = 1 }
		{ p := new(pair); p.a = 1; $ <- p }
		select { case p := <-$: p.a++; default: }
		select { case p := <-$: use(p.sum()); $ <- p; default: }
		use(len($))`},
	{name: "[]any", typ: "[]any", init: `$ = []any{1, "a", new(pair)}`, ops: `
		$[0] = 2
		use($[0])
		use(fmt.Sprint($...))
		use(fmt.Sprintln($...))
		$[2].(*pair).a++
		use($[2].(*pair).b)
		for _, v := range $ { use(v) }
		fmt.Fprint(io.Discard, $[2])`},
	{name: "generic", typ: "box[string]", ops: `
		$.set("x")
		use($.get())
		$.v = "y"
		use($)
		use($.list())
		$.all = append($.all, "z")`},
	{name: "time fields", typ: "struct{ t time.Time; d time.Duration }", ops: `
		$.t = time.Now()
		$.t = $.t.Add(time.Second)
		use($.t.Unix())
		use($.t.IsZero())
		use($.t.Format(time.RFC3339))
		use($.t.Before(time.Unix(0, 0)))
		$.t = time.Unix(3, 0)
		$.d = time.Second
		$.d += time.Since(time.Unix(0, 0))
		use($.d.String())
		use($)
		$.t.UnmarshalText([]byte("2026-01-02T03:04:05Z"))
		$.t.UnmarshalBinary([]byte{1, 0, 0, 0, 14, 187, 75, 55, 229, 0, 0, 0, 0, 255, 255})
		json.Unmarshal([]byte("\"2026-01-02T03:04:05Z\""), &$.t)
		json.Marshal(&$.t)
		use(fmt.Sprint(&$.t))
		use($.t.In(time.Local).Weekday())
		$.t = $.t.Local()`},
}
