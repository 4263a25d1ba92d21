package racy

// text are kinds of the standard library that have to do with text and with input and
// output.
var text = []kind{
	{name: "bytes.Buffer", typ: "bytes.Buffer", init: `$.WriteString("hello world")`, ops: `
		$.WriteByte('a')
		$.WriteString("abc")
		$.Write([]byte("x"))
		$.WriteRune('é')
		use($.String())
		use($.Len())
		use($.Cap())
		$.Reset()
		$.Truncate(0)
		$.ReadByte()
		$.Read(make([]byte, 2))
		$.Next(1)
		use($.Bytes())
		use(string($.Bytes()))
		$.Grow(200)
		$.ReadString(' ')
		fmt.Fprint(&$, 1)
		fmt.Fscan(&$, new(string))
		$.ReadFrom(strings.NewReader("abc"))
		$.WriteTo(io.Discard)
		use($.Available())
		io.Copy(io.Discard, &$)
		json.NewEncoder(&$).Encode(1)
		use($.AvailableBuffer())`},
	{name: "strings.Builder", typ: "strings.Builder", ops: `
		$.WriteByte('a')
		$.WriteString("abc")
		$.WriteRune('é')
		use($.String())
		use($.Len())
		$.Reset()
		$.Grow(100)
		fmt.Fprint(&$, 1)
		use($.Cap())
		io.WriteString(&$, "x")`},
	{name: "strings.Reader", typ: "*strings.Reader", init: `$ = strings.NewReader("hello world")`, ops: `
		$.ReadByte()
		$.Read(make([]byte, 2))
		$.ReadAt(make([]byte, 2), 0)
		use($.Len())
		use($.Size())
		$.Seek(0, io.SeekStart)
		io.ReadAll($)
		$.Reset("x")
		$.WriteTo(io.Discard)
		bufio.NewReader($).ReadLine()`},
	{name: "bytes.Reader", typ: "*bytes.Reader", init: `$ = bytes.NewReader([]byte("hello world"))`, ops: `
		$.ReadByte()
		$.ReadAt(make([]byte, 2), 0)
		use($.Len())
		use($.Size())
		io.ReadAll(io.NewSectionReader($, 0, 3))
		io.ReadAll(io.LimitReader($, 3))
		io.ReadAll(io.TeeReader($, io.Discard))`},
	{name: "io.SectionReader", typ: "*io.SectionReader", init: `$ = io.NewSectionReader(strings.NewReader("hello world"), 0, 5)`, ops: `
		$.Read(make([]byte, 2))
		$.ReadAt(make([]byte, 2), 0)
		use($.Size())
		$.Seek(0, io.SeekStart)`},
	{name: "io.Writer", typ: "struct { w io.Writer; b bytes.Buffer }", init: "$.w = io.MultiWriter(&$.b, io.Discard)", ops: `
		$.w.Write([]byte("x"))
		io.WriteString($.w, "x")
		use($.b.Len())
		fmt.Fprintln($.w, 3)
		$.w = io.Discard`},
	{name: "bufio.Writer", typ: "*bufio.Writer", init: "$ = bufio.NewWriterSize(io.Discard, 16)", ops: `
		$.WriteByte('a')
		$.WriteString("abc")
		$.Flush()
		use($.Buffered())
		use($.Available())
		$.Reset(io.Discard)
		fmt.Fprint($, "long enough for the buffer")
		use($.Size())`},
	{name: "bufio.Reader", typ: "*bufio.Reader", init: `$ = bufio.NewReader(strings.NewReader("hello\nworld\n"))`, ops: `
		$.ReadByte()
		$.Peek(2)
		$.ReadString('\n')
		use($.Buffered())
		$.Discard(1)
		$.ReadLine()
		use($.Size())
		$.UnreadByte()`},
	{name: "bufio.Scanner", typ: "*bufio.Scanner", init: `$ = bufio.NewScanner(strings.NewReader("hello\nworld\n"))`, ops: `
		$.Scan()
		use($.Text())
		use($.Bytes())
		use($.Err())`},
	{name: "http.Header", typ: "http.Header", init: `$ = http.Header{"A": {"1"}}`, ops: `
		$.Set("a", "2")
		$.Add("A", "3")
		$.Add("B", "3")
		use($.Get("a"))
		use($.Get("c"))
		use($.Values("A"))
		$.Del("A")
		use($.Clone())
		$["A"] = nil
		use(len($))
		$.Write(io.Discard)
		(&http.Request{Header: $}).UserAgent()
		(&http.Request{Header: $}).AddCookie(&http.Cookie{Name: "a", Value: "b"})
		use(fmt.Sprint($))`},
	{name: "url.Values", typ: "url.Values", init: `$ = url.Values{"a": {"1"}}`, ops: `
		$.Set("a", "2")
		$.Add("a", "3")
		use($.Get("a"))
		use($.Has("b"))
		$.Del("a")
		use($.Encode())
		use(url.URL{RawQuery: $.Encode()})`},
	{name: "url.URL", typ: "*url.URL", init: `$, _ = url.Parse("http://user@example.org/a?b=c")`, ops: `
		use($.String())
		$.Path = "/z"
		use($.Query())
		use($.JoinPath("x"))
		$.RawQuery = "q=1"
		use($.Hostname())
		use($.User.Username())
		use($.IsAbs())
		use($.ResolveReference(&url.URL{Path: "y"}))
		$.UnmarshalBinary([]byte("http://example.org"))`},
	{name: "http.Request", typ: "*http.Request", init: `$, _ = http.NewRequest("GET", "http://example.org/a?b=c", nil)`, ops: `
		use($.FormValue("b"))
		$.ParseForm()
		use($.URL.Path)
		$.Header.Set("a", "b")
		use($.Header.Get("a"))
		use($.WithContext(t.Context()))
		use($.Clone(t.Context()))
		use($.Context())
		$.SetPathValue("a", "b")
		use($.PathValue("a"))
		$.SetBasicAuth("a", "b")
		$.Cookie("a")
		$.Method = "POST"
		httputil.DumpRequest($, false)`},
	{name: "ResponseRecorder", typ: "*httptest.ResponseRecorder", init: "$ = httptest.NewRecorder()", ops: `
		$.WriteHeader(200)
		$.Write([]byte("x"))
		$.WriteString("y")
		$.Header().Set("a", "b")
		use($.Header().Get("a"))
		use($.Code)
		use($.Body.String())
		use($.Result().StatusCode)
		$.Flush()
		http.Error($, "no", 400)
		http.NotFound($, httptest.NewRequest("GET", "/", nil))`},
	{name: "http.ServeMux", typ: "*http.ServeMux", init: `$ = http.NewServeMux(); $.HandleFunc("/a/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) })`, ops: `
		$.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a/3", nil))
		$.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/b", nil))
		$.Handler(httptest.NewRequest("GET", "/a/3", nil))
		$ = http.NewServeMux()
		use($)`},
	{name: "json", typ: "record", init: `$.Tags = []string{"a"}; $.More = map[string]any{"k": 1}`, ops: `
		{ b, _ := json.Marshal($); use(b) }
		{ b, _ := json.Marshal(&$); use(b) }
		json.Unmarshal([]byte("{\"name\":\"x\"}"), &$)
		json.Unmarshal([]byte("{\"n\":3}"), &$)
		json.Unmarshal([]byte("{\"tags\":[\"b\",\"c\"]}"), &$)
		json.Unmarshal([]byte("{\"more\":{\"q\":2}}"), &$)
		json.Unmarshal([]byte("{\"in\":{\"a\":2}}"), &$)
		json.NewDecoder(strings.NewReader("{\"n\":3}")).Decode(&$)
		json.NewEncoder(io.Discard).Encode($)
		$.Name = "y"
		use($.Name)
		$.N++
		use($.N)
		$.Tags = append($.Tags, "d")
		$.Tags[0] = "e"
		if $.More != nil { $.More["k"] = 2 }
		use($.More["k"])
		if $.In != nil { $.In.a++ }
		$.In = new(pair)
		use($.skip)
		$.skip = 3
		{ b, _ := xml.Marshal($.Tags); use(b) }
		gob.NewEncoder(io.Discard).Encode($)
		template.Must(template.New("x").Parse("{{.Name}}")).Execute(io.Discard, $)
		template.Must(template.New("x").Parse("{{range .Tags}}{{.}}{{end}}")).Execute(io.Discard, &$)
		template.Must(template.New("x").Parse("{{.More.k}}")).Execute(io.Discard, &$)
		use(fmt.Sprintf("%+v", $))
		use(fmt.Sprint(&$))
		use(reflect.DeepEqual($, record{}))`},
	{name: "json.Encoder", typ: "struct { e *json.Encoder; b bytes.Buffer }", init: "$.e = json.NewEncoder(&$.b)", ops: `
		$.e.Encode(3)
		$.e.SetIndent("", " ")
		use($.b.Len())
		json.NewDecoder(&$.b).Decode(new(any))`},
	{name: "json.RawMessage", typ: "json.RawMessage", init: `$ = json.RawMessage("{\"a\":1}")`, ops: `
		json.Unmarshal($, new(any))
		{ b, _ := json.Marshal($); use(b) }
		$[5] = '2'
		$ = append($, ' ')
		json.Compact(new(bytes.Buffer), $)
		use(json.Valid($))`},
	{name: "template", typ: "*template.Template", init: `$ = template.Must(template.New("x").Parse("{{.}} {{len .}}"))`, ops: `
		$.Execute(io.Discard, "abc")
		use($.Name())
		$.Lookup("x")
		$.Funcs(template.FuncMap{"f": func() int { return 1 }})
		$.New("y").Parse("z")
		$.Clone()
		use($.DefinedTemplates())
		$.ExecuteTemplate(io.Discard, "x", []int{1})`},
	{name: "html template", typ: "*htmltemplate.Template", init: `$ = htmltemplate.Must(htmltemplate.New("x").Parse("<a href={{.}}>"))`, ops: `
		$.Execute(io.Discard, "abc")
		use($.Name())
		$.Lookup("x")
		$.New("y")`},
	{name: "regexp", typ: "*regexp.Regexp", init: `$ = regexp.MustCompile("(a+)b|c*?d")`, ops: `
		use($.MatchString("xaab"))
		use($.FindAllString("aabab", -1))
		use($.ReplaceAllString("aab", "x$$1"))
		use($.FindSubmatchIndex([]byte("aab")))
		use($.Split("aabcab", -1))
		$.Longest()
		use($.String())
		use($.NumSubexp())
		$ = regexp.MustCompile("z")`},
	{name: "strings.Replacer", typ: "*strings.Replacer", init: `$ = strings.NewReplacer("a", "b", "cd", "e")`, ops: `
		use($.Replace("abcd"))
		$.WriteString(io.Discard, "abcd")
		use($)`},
	{name: "log.Logger", typ: "struct { l *log.Logger; b bytes.Buffer }", init: `$.l = log.New(&$.b, "", log.LstdFlags)`, ops: `
		$.l.Print("a")
		$.l.Printf("%d", 1)
		$.l.SetPrefix("p")
		use($.l.Prefix())
		$.l.SetFlags(0)
		$.l.SetOutput(io.Discard)
		use($.l.Writer())
		use($.b.Len())
		use($.l.Flags())`},
	{name: "slog.Logger", typ: "struct { l *slog.Logger; b bytes.Buffer; v slog.LevelVar }", init: `$.l = slog.New(slog.NewTextHandler(&$.b, &slog.HandlerOptions{Level: &$.v}))`, ops: `
		$.l.Info("a", "k", 1)
		$.l.With("a", 1).Info("b")
		$.v.Set(slog.LevelWarn)
		use($.b.Len())
		$.l.Debug("no")
		$.l.WithGroup("g").Error("x", slog.Int("n", 1))
		slog.New(slog.NewJSONHandler(&$.b, nil)).Info("x")`},
	{name: "flag.FlagSet", typ: "*flag.FlagSet", init: `$ = flag.NewFlagSet("x", flag.ContinueOnError); $.Int("n", 1, "")`, ops: `
		$.Parse([]string{"-n=3"})
		use($.Lookup("n"))
		$.Set("n", "4")
		$.Visit(func(f *flag.Flag) { use(f.Name) })
		$.VisitAll(func(f *flag.Flag) { use(f.Value.String()) })
		use($.NArg())`},
	{name: "hash", typ: "hash.Hash", init: "$ = sha256.New()", ops: `
		$.Write([]byte("x"))
		use($.Sum(nil))
		$.Reset()
		use($.Size())
		use($)`},
	{name: "crc32", typ: "hash.Hash32", init: "$ = crc32.NewIEEE()", ops: `
		$.Write([]byte("x"))
		use($.Sum32())
		$.Reset()
		use($.BlockSize())`},
	{name: "csv.Writer", typ: "*csv.Writer", init: "$ = csv.NewWriter(io.Discard)", ops: `
		$.Write([]string{"a", "b c"})
		$.Flush()
		use($.Error())
		$.Comma = ';'`},
	{name: "tabwriter", typ: "*tabwriter.Writer", init: `$ = tabwriter.NewWriter(io.Discard, 0, 8, 1, ' ', 0)`, ops: `
		fmt.Fprint($, "a\tb\n")
		$.Flush()
		use($)`},
	{name: "gzip.Writer", typ: "*gzip.Writer", init: "$ = gzip.NewWriter(io.Discard)", ops: `
		$.Write([]byte("x"))
		$.Flush()
		$.Reset(io.Discard)
		$.Name = "n"`},
	{name: "net.IP", typ: "net.IP", init: "$ = net.IPv4(1, 2, 3, 4)", ops: `
		use($.String())
		$[15] = 9
		use($.Equal(net.IPv4(1, 2, 3, 5)))
		use($.To4())
		use($.IsLoopback())
		$ = net.ParseIP("::1")
		use(netip.AddrFrom4([4]byte($[12:])))`},
	{name: "io.Pipe", typ: "struct { r *io.PipeReader; w *io.PipeWriter; n int }", init: "$.r, $.w = io.Pipe(); $.w.Close()", ops: `
		$.r.Read(make([]byte, 1))
		$.w.Write(nil)
		$.w.CloseWithError(io.EOF)
		$.r.Close()
		$.n++
		use($.n)`},
	{name: "cipher", typ: "cipher.Stream", init: "{ b, _ := aes.NewCipher(make([]byte, 16)); $ = cipher.NewCTR(b, make([]byte, 16)) }", ops: `
		$.XORKeyStream(make([]byte, 3), []byte("abc"))
		use($)`},
	{name: "hmac", typ: "hash.Hash", init: `$ = hmac.New(sha256.New, []byte("key"))`, ops: `
		$.Write([]byte("x"))
		use($.Sum(nil))
		$.Reset()`},
	{name: "expvar.Map", typ: "*expvar.Map", init: "$ = new(expvar.Map).Init()", ops: `
		$.Add("a", 1)
		$.Set("b", new(expvar.Int))
		use($.Get("a"))
		use($.String())
		$.Do(func(kv expvar.KeyValue) { use(kv.Key) })
		$.Delete("a")`},
	{name: "cookiejar", typ: "*cookiejar.Jar", init: "$, _ = cookiejar.New(nil)", ops: `
		$.SetCookies(&url.URL{Scheme: "http", Host: "example.org"}, []*http.Cookie{{Name: "a", Value: "b"}})
		use($.Cookies(&url.URL{Scheme: "http", Host: "example.org"}))`},
	{name: "maphash", typ: "maphash.Hash", init: "$.SetSeed(maphash.MakeSeed())", ops: `
		$.WriteString("a")
		use($.Sum64())
		$.Reset()
		use($.Seed())
		use(maphash.String($.Seed(), "b"))`},
	{name: "sort.Interface", typ: "intHeap", init: "$ = intHeap{5, 3, 8}", ops: `
		sort.Sort(&$)
		sort.Stable(sort.Reverse(&$))
		use(sort.IsSorted(&$))
		$[0]++
		use($[1])
		use($)`},
	{name: "text/scanner", typ: "scanner.Scanner", init: `$.Init(strings.NewReader("a + b"))`, ops: `
		$.Scan()
		use($.TokenText())
		use($.Pos())
		$.Next()`},
	{name: "go/token", typ: "*token.FileSet", init: `$ = token.NewFileSet(); $.AddFile("a.go", -1, 10)`, ops: `
		$.AddFile("b.go", -1, 10)
		use($.Position(3))
		$.Iterate(func(f *token.File) bool { use(f.Name()); return true })
		use($.Base())
		parser.ParseFile($, "x.go", "package x", 0)`},
	{name: "AST", typ: "ast.Node", init: `$, _ = parser.ParseExpr("a + f(b)")`, ops: `
		ast.Inspect($, func(n ast.Node) bool { return true })
		$.(*ast.BinaryExpr).Op = token.SUB
		printer.Fprint(io.Discard, token.NewFileSet(), $)
		format.Node(io.Discard, token.NewFileSet(), $)
		use($.Pos())
		$ = &ast.BinaryExpr{X: ast.NewIdent("a"), Y: ast.NewIdent("b"), Op: token.ADD}`},
}
