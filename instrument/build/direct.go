package build

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// direct are the packages of the primitives, and of what runs functions that use them.
var direct = []string{module + "/sched", module + "/sched/exec"}

// neutral are the names of these packages that tests of native code use: the parts of options
// and results, and Choose.
var neutral = map[string]bool{
	"RaceMode": true, "RaceFail": true, "RaceExplore": true, "RaceIgnore": true,
	"TimeMode": true, "TimeDiscrete": true, "TimeAnyOrder": true, "TimeLag": true, "DefaultLag": true,
	"RandMode": true, "RandSeeded": true, "RandExplore": true,
	"Model": true, "ModelFine": true, "ModelUnfair": true,
	"ModelPool": true, "ModelTryLock": true, "ModelRange": true, "ModelWaitGroup": true, "ModelTimer": true, "ModelPipe": true, "ModelLock": true, "ModelLibrary": true, "ModelStream": true,
	"NetworkLoopback": true, "NetworkReal": true, "NetworkNone": true,
	"Faults": true, "FaultsAll": true, "FaultReset": true, "FaultRefuse": true, "FaultSlow": true, "FaultDelay": true, "FaultShort": true,
	"FaultLose": true, "FaultDouble": true, "FaultLate": true, "FaultCrash": true, "FaultSkew": true, "FaultIsolate": true,
	"FaultSync": true, "FaultFull": true, "FaultTorn": true,
	"Entry": true, "Choose": true,
}

// DirectError says that a test package uses primitives of package sched itself, so that its
// tests need no instrumented binary.
type DirectError struct {
	// Native has functions of the package that use native Go nevertheless.
	Native []Native
}

func (e *DirectError) Error() string { return "the package uses github.com/gopor/gopor/sched itself" }

// Native is native code that would have to be under control, in a function.
type Native struct {
	File string // its path
	Func int    // the line where the function begins
	What string // such as "a go statement"
	Line int
}

// usesSched returns a DirectError if a package or its tests use primitives of package sched, or
// belong to this module's own core. Otherwise it returns nil.
func (b *Build) usesSched(path string) (*DirectError, error) {
	if isOurs(path) {
		return new(DirectError), nil
	}
	text, err := b.list("-json=Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", path)
	if err != nil {
		return nil, err
	}
	var p struct {
		Dir                                          string
		GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		Imports, TestImports, XTestImports           []string
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, err
	}
	imports := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
	if !slices.ContainsFunc(direct, func(path string) bool { return slices.Contains(imports, path) }) {
		return nil, nil
	}
	var native []Native
	uses := false
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		uses = uses || usesPrimitives(f)
		native = append(native, nativeIn(files, f)...)
	}
	if !uses {
		return nil, nil
	}
	return &DirectError{native}, nil
}

// nativeIn returns the native code of a file: the first go statement, or use of package sync or
// sync/atomic, in every function that has one.
func nativeIn(files *token.FileSet, f *ast.File) (found []Native) {
	names := make(map[string]string)
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && (path == "sync" || path == "sync/atomic") {
			name := filepath.Base(path)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = path
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			return true
		}
		what, at := "", token.NoPos
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if what == "" {
					what, at = "a go statement", n.Pos()
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && what == "" && names[id.Name] != "" {
					what, at = names[id.Name]+"."+n.Sel.Name, n.Pos()
				}
			}
			return what == ""
		})
		if what != "" {
			found = append(found, Native{files.Position(at).Filename, files.Position(n.Pos()).Line, what, files.Position(at).Line})
		}
		return true
	})
	return found
}

// usesPrimitives reports whether a file uses more of the packages sched and sched/exec than options
// and results.
func usesPrimitives(f *ast.File) (uses bool) {
	as := make(map[string]bool)
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !slices.Contains(direct, path) {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			return true
		}
		as[name] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			id, ok := sel.X.(*ast.Ident)
			uses = uses || ok && as[id.Name] && !neutral[sel.Sel.Name]
		}
		return !uses
	})
	return uses
}
