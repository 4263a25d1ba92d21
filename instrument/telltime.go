package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
)

// timely are packages of the standard library that are no part of the program, but ask for the time, which is then in
// their results, or is compared with what the program gives them: these look at it.
var timely = map[string]bool{"crypto/tls": true, "crypto/x509": true, "log": false, "log/slog": false, "net/http/cookiejar": true}

// tellTime lets such a package ask for the time of the execution. In place of time.Now it has
//
//	func() time.Time { if s, n, ok := gopor_live.Time(true); ok { return time.Unix(s, n) }; return time.Now() }
func tellTime(r *rewriting) {
	looks, ok := timely[r.Path]
	if !ok {
		return
	}
	found := false
	ast.Inspect(r.AST, func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if f, ok := r.Info.Uses[x.Sel].(*types.Func); ok && f.FullName() == "time.Now" {
			r.Replace(x.Pos(), x.End(), fmt.Sprintf(
				"func() %[1]s.Time { if s, n, ok := gopor_live.Time(%[2]t); ok { return %[1]s.Unix(s, n) }; return %[1]s.Now() }", r.source(x.X), looks))
			found = true
		}
		return true
	})
	if found {
		r.importLive()
	}
}

// importLive lets the file import package live.
func (r *rewriting) importLive() {
	if r.live {
		return
	}
	r.live = true
	r.add(after, r.AST.Name.Pos(), r.AST.Name.End(), literal("; import gopor_live "+strconv.Quote(Live)))
}
