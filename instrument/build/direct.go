package build

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
)

// neutral are the names of package sched that tests of native code have a use for:
// what options and results are made of, and Choose.
var neutral = map[string]bool{
	"RaceMode": true, "RaceFail": true, "RaceExplore": true, "RaceIgnore": true,
	"TimeMode": true, "TimeDiscrete": true, "TimeAnyOrder": true,
	"RandMode": true, "RandSeeded": true, "RandExplore": true,
	"Model": true, "ModelFine": true, "ModelUnfair": true,
	"ModelPool": true, "ModelTryLock": true, "ModelRange": true, "ModelWaitGroup": true,
	"Failure": true, "FailureKind": true, "FailPanic": true, "FailFatal": true, "FailAssertion": true,
	"FailDeadlock": true, "FailLeak": true, "FailRace": true, "FailSteps": true, "FailStarved": true,
	"Engine": true, "Execution": true, "Stats": true, "Schedule": true, "Choice": true, "Entry": true,
	"Choose": true,
}

// usesSched reports whether a package or its tests use primitives of package
// sched, or are of this module's own core.
func (b *Build) usesSched(path string) (bool, error) {
	if isOurs(path) {
		return true, nil
	}
	text, err := b.list("-json=Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", path)
	if err != nil {
		return false, err
	}
	var p struct {
		Dir                                          string
		GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		Imports, TestImports, XTestImports           []string
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return false, err
	}
	if !slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), module+"/sched") {
		return false, nil
	}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		if usesPrimitives(f) {
			return true, nil
		}
	}
	return false, nil
}

// usesPrimitives reports whether a file uses package sched for more than options
// and results.
func usesPrimitives(f *ast.File) (uses bool) {
	as := ""
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != module+"/sched" {
			continue
		}
		if as = "sched"; spec.Name != nil {
			as = spec.Name.Name
		}
		if as == "." {
			return true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && as != "" {
			id, ok := sel.X.(*ast.Ident)
			uses = uses || ok && id.Name == as && !neutral[sel.Sel.Name]
		}
		return !uses
	})
	return uses
}
