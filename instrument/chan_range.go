package instrument

import (
	"go/ast"
	"go/token"
)

// rewriteChanRanges makes loops over channels loops with three clauses, which
// have as many variables: for v := range c becomes
//
//	for gopor_c, v, gopor_ok := gopor_.Range(c); gopor_ok; v, gopor_ok = gopor_.Again(gopor_c, v)
//
// Where what is received is assigned to something that exists, that is done at
// the beginning of the body.
func rewriteChanRanges(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || channel(r.Info.TypeOf(s.X)) == nil {
			return true
		}
		v, from := "_", s.Range
		if s.Key != nil {
			from = s.Key.Pos()
		}
		switch id, ok := s.Key.(*ast.Ident); {
		case s.Key == nil || ok && id.Name == "_":
		case s.Tok == token.DEFINE:
			v = id.Name
		default:
			v = native + "v"
			f := r.File
			f.add(after, s.Body.Lbrace, s.Body.Lbrace+1, func() string {
				return " " + f.Text(s.Key) + " = " + v + ";"
			})
		}
		c, more := native+"c", native+"ok"
		again := native + ".Recv2(" + c + ")"
		if v != "_" {
			again = native + ".Again(" + c + ", " + v + ")"
		}
		r.Replace(from, s.X.Pos(), c+", "+v+", "+more+" := "+native+".Range("+r.lines(from, s.X.Pos()))
		r.add(after, s.Range, s.X.End(), literal("); "+more+"; "+v+", "+more+" = "+again))
		return true
	})
}
