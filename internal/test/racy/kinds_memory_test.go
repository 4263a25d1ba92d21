package racy

import (
	"slices"
	"strings"
)

// kind is something that goroutines share, and what they may do with it. In the
// operations, one a line, $ is the variable. None of them panics or waits, whatever the
// others have done before.
type kind struct {
	name string
	typ  string // of the variable
	init string // what is done with it before it is shared
	ops  string
}

// operations returns the operations one by one.
func (k *kind) operations() []string { return lines(k.ops) }

func lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// kinds are all of them.
var kinds = slices.Concat(memory, pointers, library, text)

// memory are the kinds of the language.
var memory = []kind{
	{name: "int", typ: "int", ops: `
		$++
		$ = 1
		use($)
		_ = $
		$ += 2
		if $ > 0 { use(1) }
		switch $ { case 1: use(2) }
		func() { $ = 4 }()
		func() { defer func() { $ = 5 }() }()
		p := &$; *p = 3
		for $ = 0; $ < 2; $++ { }
		for range $ % 3 { }
		use(max($, 2))
		use(float64($))
		defer use($)
		$, _ = 1, 2
		fmt.Sscan("5", &$)
		fmt.Sscanf("5", "%d", &$)
		use(fmt.Sprint($))
		use(fmt.Sprint(&$))
		json.Unmarshal([]byte("7"), &$)
		reflect.ValueOf(&$).Elem().SetInt(3)
		use(reflect.ValueOf(&$).Elem().Int())
		use(reflect.ValueOf(&$).Elem().Addr())
		use(strconv.Itoa($))
		binary.Read(strings.NewReader("12345678"), binary.LittleEndian, (*int64)(unsafe.Pointer(&$)))
		use(&$)`},
	{name: "float64", typ: "float64", ops: `
		$ = 1.5
		use($)
		use(math.Sqrt($))
		use(math.Floor($))
		$ = math.Sqrt(2)
		_, $ = math.Modf(2.5)
		use(int($))
		use(complex($, 0))`},
	{name: "int32", typ: "int32", ops: `
		atomic.AddInt32(&$, 1)
		use(atomic.LoadInt32(&$))
		atomic.StoreInt32(&$, 1)
		atomic.CompareAndSwapInt32(&$, 0, 1)
		atomic.SwapInt32(&$, 2)
		atomic.OrInt32(&$, 4)
		$++
		use($)
		$ = 0`},
	{name: "atomic.Int64", typ: "atomic.Int64", ops: `
		$.Add(1)
		use($.Load())
		$.Store(2)
		$.CompareAndSwap(0, 1)
		$.And(3)
		$ = atomic.Int64{}`},
	{name: "atomic.Pointer", typ: "atomic.Pointer[pair]", init: "$.Store(new(pair))", ops: `
		$.Store(&pair{1, 2})
		use($.Load())
		use($.Load().a)
		$.Load().a++
		$.Swap(new(pair)).b++
		{ q := $.Load(); $.CompareAndSwap(q, &pair{q.a + 1, 0}) }`},
	{name: "atomic.Value", typ: "atomic.Value", init: "$.Store(pair{})", ops: `
		$.Store(pair{1, 2})
		use($.Load())
		use($.Swap(pair{3, 4}))
		$.CompareAndSwap(pair{}, pair{1, 1})
		use(fmt.Sprint($.Load()))`},
	{name: "pair", typ: "pair", ops: `
		$.a++
		$.b = 1
		use($)
		$ = pair{1, 2}
		$ = pair{}
		use($.a)
		use($.b)
		$.a, $.b = $.b, $.a
		q := $; use(q.a)
		use($ == pair{})
		use($.sum())
		$.inc()
		{ f := $.sum; f() }
		{ f := $.inc; f() }
		{ f := (*pair).inc; f(&$) }
		{ var i any = $; use(i) }
		{ var i summer = &$; i.sum() }
		{ var i summer = $; i.sum() }
		use(fmt.Sprint($))
		use(fmt.Sprintf("%+v", &$))
		use(reflect.DeepEqual($, pair{}))
		use(reflect.ValueOf(&$).Elem().Field(0).Int())
		reflect.ValueOf(&$).Elem().Set(reflect.ValueOf(pair{1, 1}))
		reflect.ValueOf(&$).Elem().SetZero()
		use([]pair{$})
		defer $.sum()
		defer $.inc()
		{ c := make(chan pair, 1); c <- $; use(<-c) }
		{ c := make(chan pair, 1); c <- pair{}; $ = <-c }
		{ m := map[pair]int{}; m[$]++ }
		{ m := map[int]pair{}; m[0] = $ }
		{ m := map[int]pair{}; $ = m[0] }
		{ m := map[int]pair{}; $.a = m[0].b }
		{ e := embedded{pair: $}; use(e.a) }
		use(&$.a)`},
	{name: "embedded", typ: "embedded", ops: `
		$.a++
		$.inc()
		$.sum()
		{ var i summer = $; i.sum() }
		{ var i summer = &$; i.sum() }
		{ var i incer = &$; i.inc() }
		{ f := $.inc; f() }
		{ f := embedded.sum; f($) }
		{ f := (*embedded).inc; f(&$) }
		$.name = "x"
		use($.name)
		$.pair = pair{2, 3}
		use($.pair)
		use($)
		use($ == embedded{name: "x"})
		use(fmt.Sprint($))`},
	{name: "*outer", typ: "*outer", init: "$ = &outer{embedded: &embedded{}}", ops: `
		$.a++
		$.inc()
		$.sum()
		$.embedded = &embedded{}
		$ = &outer{embedded: &embedded{}}
		use($.embedded)
		{ var i summer = $; i.sum() }
		{ var i incer = *$; i.inc() }
		use(*$)
		use(*$.embedded)
		*$.embedded = embedded{}
		$.list = append($.list, 1)
		use(len($.list))
		use($)
		use($ == nil)`},
	{name: "[3]int", typ: "[3]int", ops: `
		$[0]++
		$[1] = 2
		use($[2])
		for _, v := range $ { use(v) }
		for _, v := range &$ { use(v) }
		for i := range $ { use(i) }
		for i := range $ { $[i] = i }
		use($ == [3]int{})
		{ s := $[:]; s[2] = 1 }
		{ s := $[:2]; use(s[1]) }
		$ = [3]int{}
		$ = [3]int{1, 2, 3}
		use($)
		use(len($))
		{ q := $; use(q[1]) }
		slices.Sort($[:])
		slices.Reverse($[1:])
		clear($[1:])
		use(fmt.Sprint($))`},
	{name: "[]int", typ: "[]int", init: "$ = append(make([]int, 0, 40), 3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 11, 10, 13, 12, 15, 14)", ops: `
		if len($) > 0 { $[0] = 1 }
		$ = append($, 1)
		use(append($, 5))
		use(append($[:0:0], $...))
		use(append([]int(nil), $...))
		if len($) > 1 { use($[1]) }
		for _, v := range $ { use(v) }
		for i := range $ { $[i]++ }
		copy($, []int{1, 2})
		copy(make([]int, 3), $)
		copy($, $[len($)/2:])
		use(len($))
		use(cap($))
		use($)
		$ = $[:len($)/2]
		clear($)
		if len($) > 2 { use([2]int($)) }
		if len($) > 2 { *(*[2]int)($) = [2]int{1, 2} }
		$ = make([]int, 6)
		use(slices.Contains($, 70))
		slices.Sort($)
		sort.Ints($)
		sort.Sort(sort.Reverse(sort.IntSlice($)))
		sort.Slice($, func(i, j int) bool { return $[i] < $[j] })
		slices.SortFunc($, cmp.Compare[int])
		slices.SortStableFunc($, func(a, b int) int { return b - a })
		use(slices.IsSorted($))
		use(sort.SearchInts($, 3))
		slices.Reverse($)
		$ = slices.Insert($, 0, 1)
		if len($) > 1 { $ = slices.Delete($, 0, 1) }
		$ = slices.DeleteFunc($, func(n int) bool { return n > 100 })
		$ = slices.Compact($)
		$ = slices.Grow($, 50)
		$ = slices.Clip($)
		if len($) > 2 { $ = slices.Replace($, 0, 1, 4, 5) }
		use(slices.Clone($))
		use(slices.Concat($, $))
		use(slices.Repeat($, 2))
		use(slices.Equal($, []int{1}))
		use(slices.Index($, 7))
		slices.BinarySearch($, 4)
		if len($) > 0 { use(slices.Max($)) }
		use(slices.Collect(slices.Values($)))
		use(slices.Sorted(slices.Values($)))
		$ = slices.AppendSeq($, slices.Values([]int{1}))
		for c := range slices.Chunk($, 2) { c[0]++ }
		for i, v := range slices.Backward($) { use(i + v) }
		use(fmt.Sprint($))
		{ b, _ := json.Marshal($); use(b) }
		json.Unmarshal([]byte("[1,2,3]"), &$)
		reflect.Append(reflect.ValueOf($), reflect.ValueOf(3))
		if len($) > 0 { reflect.ValueOf($).Index(0).SetInt(8) }
		if len($) > 1 { reflect.Swapper($)(0, 1) }
		reflect.Copy(reflect.ValueOf($), reflect.ValueOf([]int{4}))
		use(reflect.DeepEqual($, []int{1}))
		use(sum($...))
		if len($) > 0 { use($[len($)-1:]) }`},
	{name: "[]string", typ: "[]string", init: `$ = []string{"b", "a", "c"}`, ops: `
		$[0] = "z"
		use(strings.Join($, ","))
		sort.Strings($)
		slices.Sort($)
		use(slices.Contains($, "q"))
		use($[1])
		use(fmt.Sprint($))
		use(fmt.Sprintln(anys($)...))
		for i, s := range $ { use(s); use(i) }
		copy($[1:], $)`},
	{name: "[]pair", typ: "[]pair", init: "$ = make([]pair, 3, 8)", ops: `
		$[0].a++
		$[1] = pair{3, 4}
		$ = append($, pair{})
		$[0].inc()
		$[2].sum()
		for _, p := range $ { use(p.a) }
		for i := range $ { $[i].b = i }
		for i := range $ { p := &$[i]; p.a = 1 }
		use($[0])
		use($[1] == $[2])
		copy($[1:], $)
		sort.Slice($, func(i, j int) bool { return $[i].a < $[j].a })
		slices.SortFunc($, func(x, y pair) int { return x.a - y.a })
		use(slices.IndexFunc($, func(p pair) bool { return p.b > 9 }))
		clear($)
		$[0], $[1] = $[1], $[0]
		use(append([]pair{}, $...))`},
	{name: "[][]int", typ: "[][]int", init: "$ = [][]int{{1, 2}, {3}}", ops: `
		$[0][1]++
		$[1] = append($[1], 2)
		$[1] = []int{5}
		for _, row := range $ { use(row[0]) }
		use(slices.Concat($...))
		use($[1])
		use(fmt.Sprint($))`},
	{name: "[]byte", typ: "[]byte", init: `$ = append(make([]byte, 0, 64), "hello, world, 12"...)`, ops: `
		$[0] = 'x'
		use($[0])
		use(string($))
		if string($) == "abc" { use(1) }
		switch string($) { case "a", "b": use(1) }
		{ m := map[string]int{"a": 1}; use(m[string($)]) }
		for _, c := range string($) { use(c) }
		for i, c := range []byte("abc") { $[i] = c }
		copy($, "ab")
		$ = append($, "ab"...)
		$ = append($, 'c')
		use("a" + string($) + "b")
		use([]rune(string($)))
		use(bytes.ToUpper($))
		use(bytes.Equal($, []byte("hello, world, 13")))
		use(bytes.IndexByte($, 'w'))
		use(bytes.Index($, []byte("world")))
		use(bytes.Contains($, []byte("q")))
		use(bytes.Compare($, []byte("zz")))
		use(bytes.HasPrefix($, []byte("hel")))
		use(bytes.Count($, []byte("l")))
		use(bytes.Fields($))
		use(bytes.Split($, []byte(",")))
		use(bytes.TrimSpace($))
		use(bytes.Repeat($, 2))
		use(bytes.Clone($))
		use(bytes.ReplaceAll($, []byte("o"), []byte("0")))
		use(hex.EncodeToString($))
		hex.Decode($, []byte("6162"))
		use(base64.StdEncoding.EncodeToString($))
		use(strconv.AppendInt($[:0], 3, 10))
		use(fmt.Appendf($[:0], "%d", 3))
		use(utf8.RuneCount($))
		use(utf8.Valid($))
		utf8.EncodeRune($, 'é')
		use(crc32.ChecksumIEEE($))
		use(sha256.Sum256($))
		use(md5.Sum($))
		use(binary.LittleEndian.Uint32($))
		binary.LittleEndian.PutUint32($, 3)
		use(binary.AppendUvarint($[:0], 3))
		strings.NewReader("abc").Read($)
		io.ReadFull(strings.NewReader("abcdef"), $[:4])
		use(json.Valid($))
		use(fmt.Sprintf("%s", $))
		use(fmt.Sprintf("%x", $))
		use(unsafe.String(&$[0], 3) == "abc")
		regexp.MustCompile("l+o").Match($)
		slices.Reverse($)
		clear($[:2])
		rand.New(rand.NewSource(1)).Read($[:4])
		subtle.ConstantTimeCompare($, []byte("abc"))
		subtle.XORBytes($, []byte("abcd"), []byte("efgh"))`},
	{name: "string", typ: "string", init: `$ = "hello"`, ops: `
		$ = "b"
		$ += "x"
		use($)
		if $ == "ab" { use(1) }
		use($ < "h")
		use(len($))
		for i := range $ { use(i) }
		use([]byte($))
		use([]rune($))
		use(strings.ToUpper($))
		use($ + "y")
		switch $ { case "a", "b", "c": use(1) }
		{ m := map[string]int{}; m[$]++ }
		fmt.Sscan("word", &$)
		use(errors.New($))
		use(fmt.Sprint("a", $))
		{ b, _ := strconv.Unquote("\"q\""); $ = b }
		json.Unmarshal([]byte("\"s\""), &$)
		use(append([]byte{}, $...))
		use(unique.Make($))
		$ = strings.Clone($)
		use(strings.Compare($, "x"))`},
	{name: "map[int]int", typ: "map[int]int", init: "$ = map[int]int{1: 1, 5: 5}", ops: `
		$[1] = 2
		$[7] = 7
		use($[1])
		use($[8])
		{ _, ok := $[3]; use(ok) }
		$[2]++
		delete($, 1)
		delete($, 99)
		use(len($))
		for k, v := range $ { use(k + v) }
		for k := range $ { use(k) }
		for range $ { use(0) }
		for k := range $ { $[k] = 3 }
		for k := range $ { delete($, k) }
		$ = map[int]int{}
		$ = nil; $ = map[int]int{}
		clear($)
		use($ == nil)
		use($)
		maps.Copy($, map[int]int{4: 4})
		maps.Copy(map[int]int{}, $)
		use(maps.Clone($))
		use(slices.Collect(maps.Keys($)))
		use(slices.Sorted(maps.Values($)))
		use(maps.Equal($, map[int]int{1: 1, 5: 6}))
		maps.DeleteFunc($, func(k, v int) bool { return k == 5 })
		maps.Insert($, maps.All(map[int]int{3: 3}))
		use(fmt.Sprint($))
		use(fmt.Sprint(len($)))
		reflect.ValueOf($).SetMapIndex(reflect.ValueOf(1), reflect.ValueOf(2))
		use(reflect.ValueOf($).MapIndex(reflect.ValueOf(1)))
		use(len(reflect.ValueOf($).MapKeys()))
		for i := reflect.ValueOf($).MapRange(); i.Next(); { use(i.Key()) }
		reflect.ValueOf($).Clear()
		use(reflect.ValueOf($).Len())
		use(reflect.DeepEqual($, map[int]int{1: 1, 5: 6}))
		{ b, _ := json.Marshal($); use(b) }
		json.Unmarshal([]byte("{\"3\":4}"), &$)`},
	{name: "map[string][]int", typ: "map[string][]int", init: `$ = map[string][]int{"a": {1, 2}, "b": nil}`, ops: `
		$["a"] = append($["a"], 1)
		$["c"] = append($["c"], 1)
		if s := $["a"]; len(s) > 0 { s[0]++ }
		if s := $["a"]; len(s) > 0 { use(s[0]) }
		$["b"] = []int{3}
		use($["b"])
		use($[string([]byte{'a'})])
		for _, v := range $ { use(len(v)) }
		delete($, "b")
		slices.Sort($["a"])
		use(maps.Clone($))
		use(fmt.Sprint($))`},
	{name: "map[pair]*pair", typ: "map[pair]*pair", init: "$ = map[pair]*pair{{}: {1, 2}, {1, 1}: {3, 4}}", ops: `
		$[pair{}].a++
		use($[pair{}].a)
		$[pair{1, 1}].inc()
		$[pair{1, 1}].sum()
		$[pair{2, 2}] = new(pair)
		for k, v := range $ { use(k.a + v.b) }
		for _, v := range $ { v.b = 3 }
		use(len($))`},
	{name: "map[any]any", typ: "map[any]any", init: `$ = map[any]any{"a": 1}`, ops: `
		$["a"] = 2
		$[3.5] = "x"
		use($["a"])
		delete($, 4)
		for k := range $ { use(k) }
		use(fmt.Sprint($))`},
}
