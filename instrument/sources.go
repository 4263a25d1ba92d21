package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// The functions of these tables are noted where they are used in executions, since the
// result of a search rests on what they do. Methods have the name of their type before
// theirs. What twins do under control is no matter here, nor are generic functions,
// which note it themselves.

// sources are functions whose results may differ from run to run.
var sources = map[string]string{
	"crypto/ecdh":     "Curve.GenerateKey",
	"crypto/ecdsa":    "GenerateKey Sign SignASN1 PrivateKey.Sign",
	"crypto/ed25519":  "GenerateKey",
	"crypto/mldsa":    "GenerateKey PrivateKey.Sign",
	"crypto/rsa":      "GenerateKey EncryptPKCS1v15 EncryptOAEP SignPSS",
	"hash/maphash":    "MakeSeed Bytes String Hash.Seed Hash.Sum Hash.Sum64",
	"io/fs":           "FileInfo.Sys",
	"net":             "Interfaces InterfaceAddrs",
	"os":              "Create CreateTemp Environ Executable ExpandEnv Getegid Getenv Geteuid Getgid Getgroups Getpid Getppid Getuid Getwd Hostname LookupEnv Lstat MkdirTemp Open OpenFile ReadDir ReadFile Readlink Stat TempDir UserCacheDir UserConfigDir UserHomeDir File.Read File.ReadAt File.ReadDir File.Readdir File.Readdirnames File.Stat Root.Create Root.Lstat Root.Open Root.OpenFile Root.ReadFile Root.Readlink Root.Stat",
	"os/user":         "Current Lookup LookupId LookupGroup LookupGroupId",
	"path/filepath":   "EvalSymlinks Glob Walk WalkDir",
	"runtime":         "ReadMemStats",
	"runtime/debug":   "ReadGCStats",
	"runtime/metrics": "Read",
	"syscall":         "Environ Getenv RawSyscall RawSyscall6 Syscall Syscall6",
	"testing":         "AllocsPerRun Benchmark",
	"weak":            "Pointer.Value",
}

// lasting are functions that change what outlives an execution and is not put back, unless it is among [registries].
var lasting = map[string]string{
	"encoding/gob": "Register RegisterName",
	"expvar":       "NewFloat NewInt NewMap NewString Publish",
	"image":        "RegisterFormat",
	"log/slog":     "SetDefault SetLogLoggerLevel",
	"mime":         "AddExtensionType",
	"os":           "Chdir Chmod Chown Chtimes Clearenv Lchown Link Mkdir MkdirAll Remove RemoveAll Rename Setenv Symlink Truncate Unsetenv WriteFile Root.Chmod Root.Chown Root.Chtimes Root.Lchown Root.Link Root.Mkdir Root.MkdirAll Root.Remove Root.RemoveAll Root.Rename Root.Symlink Root.WriteFile",
	"syscall":      "Clearenv Setenv Unsetenv",
}

// foreign are functions that have code run that is not under control: on goroutines of
// the standard library's, or in other processes.
var foreign = map[string]string{
	"crypto/tls":        "Dial DialWithDialer Listen Dialer.Dial Dialer.DialContext",
	"log/syslog":        "Dial New NewLogger",
	"net":               "Dial DialIP DialTCP DialTimeout DialUDP DialUnix FileListener Listen ListenIP ListenPacket ListenTCP ListenUDP ListenUnix LookupAddr LookupCNAME LookupHost LookupIP LookupPort LookupTXT Dialer.Dial Dialer.DialContext ListenConfig.Listen ListenConfig.ListenPacket",
	"net/http":          "Get Head ListenAndServe ListenAndServeTLS Post PostForm Serve ServeTLS TimeoutHandler Client.Do Client.Get Client.Head Client.Post Client.PostForm Server.ListenAndServe Server.ListenAndServeTLS Server.Serve Server.ServeTLS Transport.RoundTrip",
	"net/http/httptest": "NewServer NewTestServer NewTLSServer Server.Start Server.StartTLS",
	"net/http/httputil": "ReverseProxy.ServeHTTP",
	"net/rpc":           "Dial DialHTTP",
	"net/smtp":          "Dial SendMail",
	"net/textproto":     "Dial",
	"os/exec":           "Cmd.CombinedOutput Cmd.Output Cmd.Run Cmd.Start",
	"plugin":            "Open",
}

// outside are functions that do what other processes may feel, and on which no result of a search rests but by other functions.
var outside = map[string]string{
	"net":      "FileConn FilePacketConn ListenMulticastUDP ListenUnixgram",
	"net/http": "RoundTripper.RoundTrip",
	"os":       "StartProcess",
	"syscall":  "Bind Connect Exec Flock ForkExec Link Mkdir Mmap Open Rename Rmdir Socket StartProcess Symlink Truncate Unlink",
}

// ending are functions that end the process: in an execution, which they would take along
// with all that was explored, they are a failure of it.
var ending = map[string]string{
	"log":     "Fatal Fatalf Fatalln Logger.Fatal Logger.Fatalf Logger.Fatalln",
	"os":      "Exit",
	"syscall": "Exit",
}

// kills are functions that send signals: those to the process itself an execution delivers by itself.
var kills = map[string]string{"golang.org/x/sys/unix": "Kill", "syscall": "Kill"}

// internals are functions of the runtime that programs take by go:linkname, and package native
// has something in place of.
var internals = strings.Fields(`runtime.cheaprand runtime.cheaprandn runtime.cheaprand64 runtime.fastrand
	runtime.fastrandn runtime.fastrand64 runtime.fastrandu runtime.rand runtime.rand32 sync.fastrand sync.fastrandn os.fastrand
	runtime.nanotime runtime.walltime time.now time.runtimeNano time.runtimeNow
	runtime.memhash runtime.strhash runtime.memhash32 runtime.memhash64
	runtime.procPin runtime.procUnpin sync.runtime_procPin sync.runtime_procUnpin
	sync.runtime_canSpin sync.runtime_doSpin sync/atomic.runtime_procPin sync/atomic.runtime_procUnpin
	sync.runtime_registerPoolCleanup`)

// marks has, for the full name of a function, the function of package native that is
// around it.
var marks = func() map[string]string {
	all := make(map[string]string)
	for mark, table := range map[string]map[string]string{"Source": sources, "Lasting": lasting, "Foreign": foreign, "Felt": outside, "Ending": ending, "Kills": kills} {
		for path, names := range table {
			for name := range strings.FieldsSeq(names) {
				all[path+"."+name] = mark
			}
		}
	}
	return all
}()

// rewriteSources puts gopor_.Source(f, "os.Getenv"), or its like, in place of functions
// whose use is to be noted, and of those of the program that are not written in Go.
func rewriteSources(r *rewriting) {
	if r.isGenerated() {
		return
	}
	for _, d := range r.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() && d.Recv == nil {
			r.giveBody(d)
		}
	}
	r.declareStandIns(func(d *ast.FuncDecl) bool {
		fn, ok := r.Info.Defs[d.Name].(*types.Func)
		return !ok || r.isLinked(fn)
	})
	called := make(map[ast.Expr]bool)
	plain := make(map[ast.Expr]bool) // see ownNumber
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if plain[n] {
				return false
			}
			if r.Info.Selections[n] == nil && r.markFunction(n, n.Sel, called[n]) {
				return false
			}
		case *ast.Ident:
			r.markFunction(n, n, called[n])
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			plain[r.ownNumber(n)] = true
			r.markMethod(n)
			if r.printsAddress(n) {
				r.Wrap(n.Fun, native+".Source(", ", \"an address that is printed\")")
			}
		}
		return true
	})
}

// ownNumber returns os.Getpid in a call that is about this process by it, nil in others: which number that is
// makes no difference then.
func (r *rewriting) ownNumber(call *ast.CallExpr) ast.Expr {
	full := func(n *ast.CallExpr) string {
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
			if fn, ok := r.Info.Uses[sel.Sel].(*types.Func); ok {
				return fn.FullName()
			}
		}
		return ""
	}
	if name := full(call); len(call.Args) == 0 || marks[name] != "Kills" && name != "os.FindProcess" {
		return nil
	}
	if number, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && full(number) == "os.Getpid" {
		return ast.Unparen(number.Fun)
	}
	return nil
}

// giveBody makes of a function that stands for one of the runtime's a function that calls it by another
// name: other packages use it, too, which do not know what it stands for.
func (r *rewriting) giveBody(d *ast.FuncDecl) {
	fn, ok := r.Info.Defs[d.Name].(*types.Func)
	if !ok || !r.isLinked(fn) {
		return
	}
	name, target := native+d.Name.Name, r.linked(r.Package, fn.Name())
	body, end := asLiteral(fn.Signature(), native+".Linked("+name+", "+strconv.Quote(target)+")", "")
	body, ok = strings.CutPrefix(body, "func(")
	directive := r.directive(d.Name.Name)
	if !ok || directive == nil {
		return
	}
	r.Replace(directive.Pos(), directive.End(), "//go:linkname "+name+" "+target)
	r.Wrap(d.Name, native, "")
	r.Wrap(d, "", "; func "+d.Name.Name+"("+body+end)
}

// directive returns the comment of the file that says what a function of it stands for.
func (r *rewriting) directive(name string) *ast.Comment {
	for _, g := range r.AST.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" && words[1] == name {
				return c
			}
		}
	}
	return nil
}

// markFunction puts what has to be around a use of a function, which id names, or in its
// place. It may be what is called there.
func (r *rewriting) markFunction(e ast.Expr, id *ast.Ident, called bool) bool {
	fn, ok := r.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil || fn.Signature().TypeParams() != nil {
		return false
	}
	if !called && r.hasStandIn(fn) {
		r.Replace(id.Pos(), id.End(), standInFor(fn))
		return true
	}
	return r.mark(e, fn, fn.Name())
}

// markMethod puts what has to be around a method that is called.
func (r *rewriting) markMethod(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := r.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	fn := s.Obj().(*types.Func)
	if recv, ok := deref(fn.Signature().Recv().Type()).(*types.Named); ok && fn.Pkg() != nil {
		r.mark(sel, fn, recv.Obj().Name()+"."+fn.Name())
	}
}

func (r *rewriting) mark(e ast.Expr, fn *types.Func, name string) bool {
	what := original(fn.Pkg().Path()) + "." + name
	mark := marks[what]
	if r.isLinked(fn) {
		mark, what = "Linked", r.linked(r.Package, fn.Name())
	} else if mark == "" || fn.Pkg() == r.Types {
		mark, what = "Foreign", r.describeNotGo(fn)
	}
	if what == "" {
		return false
	}
	before, after := native+"."+mark+"(", ", "+strconv.Quote(what)+")"
	if mark == "Linked" && r.initialises(e) {
		before, after = asLiteral(fn.Signature(), before, after)
	}
	r.Wrap(e, before, after)
	return true
}

// isLinked reports whether fn stands for a function of the runtime that tells what executions know otherwise.
func (r *rewriting) isLinked(fn *types.Func) bool {
	return fn.Pkg() == r.Types && slices.Contains(internals, r.linked(r.Package, fn.Name())) && r.withoutBody()[fn]
}

// initialises reports whether a variable of the package is declared with e as its value.
func (r *rewriting) initialises(e ast.Expr) bool {
	for _, d := range r.AST.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				if slices.Contains(spec.(*ast.ValueSpec).Values, e) {
					return true
				}
			}
		}
	}
	return false
}

// asLiteral puts what is around a function, before and after, into a function literal that calls
// the result: what that is depends on when it is called, and not on when the variable is initialised that
// has it. And a variable that nobody uses keeps the linker from looking for nothing, as natively: it may
// have a function that the runtime has no more. It is for functions of numbers.
func asLiteral(sig *types.Signature, before, after string) (string, string) {
	var params, args, results []string
	for i := range sig.Params().Len() {
		args = append(args, "a"+strconv.Itoa(i))
		params = append(params, args[i]+" "+sig.Params().At(i).Type().String())
	}
	for v := range sig.Results().Variables() {
		results = append(results, v.Type().String())
	}
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if b, ok := v.Type().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
				return before, after
			}
		}
	}
	returns := ""
	if len(results) > 0 {
		returns = "return "
	}
	return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ") { " + returns + before,
		after + "(" + strings.Join(args, ", ") + ") }"
}

// linked returns what a directive of the package's says that a function or variable of it
// stands for, such as "runtime.nanotime"; "" if none does.
func (f *facts) linked(p *Package, name string) string {
	if f.linknames == nil {
		f.linknames = make(map[string]string)
		for _, file := range p.Files {
			for _, g := range file.AST.Comments {
				for _, c := range g.List {
					if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
						f.linknames[words[1]] = words[len(words)-1]
					}
				}
			}
		}
	}
	return f.linknames[name]
}

// printing are the packages with functions that print their arguments.
var printing = []string{"fmt", "log", "testing", twinOfTesting}

// printsAddress reports whether a call prints an address, as far as its text says: by
// %p, or since an argument is printed as nothing else.
func (r *rewriting) printsAddress(call *ast.CallExpr) bool {
	fn, ok := r.Info.Uses[called(call)].(*types.Func)
	if !ok || fn.Pkg() == nil || !slices.Contains(printing, fn.Pkg().Path()) || !fn.Signature().Variadic() {
		return false
	}
	for _, a := range call.Args {
		tv := r.Info.Types[a]
		if strings.HasSuffix(fn.Name(), "f") && tv.Value != nil && tv.Value.Kind() == constant.String &&
			strings.Contains(constant.StringVal(tv.Value), "%p") {
			return true
		}
	}
	if fn.Pkg().Path() != "fmt" || strings.HasSuffix(fn.Name(), "f") || !strings.Contains(fn.Name(), "rint") {
		return false
	}
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return isAddress(r.Info.TypeOf(a)) })
}

// isAddress reports whether values of a type are printed as addresses.
func isAddress(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map:
			return false
		}
	default:
		return false
	}
	methods := types.NewMethodSet(t)
	return !slices.ContainsFunc([]string{"Error", "Format", "String"}, func(name string) bool { return methods.Lookup(nil, name) != nil })
}
