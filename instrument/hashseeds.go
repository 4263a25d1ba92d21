package instrument

import (
	"go/ast"

	"github.com/gopor/gopor/instrument/edit"
)

// drawSeeds makes package hash/maphash give a hash without a seed the same seed in every
// execution. The package makes that seed itself where MakeSeed is not called. In the same line,
//
//	func MakeSeed() Seed {
//
// becomes
//
//	func MakeSeed() Seed { if x, ok := gopor_live.HashSeed(); ok { return Seed{s: x} };
func drawSeeds(r *rewriting) {
	if r.Path != "hash/maphash" {
		return
	}
	for _, d := range r.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "MakeSeed" {
			r.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" if x, ok := gopor_live.HashSeed(); ok { return Seed{s: x} };"))
			r.importLive()
		}
	}
}
