package expr

import (
	"go/ast"
	"strings"
)

// String returns the text of an expression, on one line and without comments. It leaves out the
// contents of the braces of composite literals and types, and of the parentheses of function
// types.
func String(x ast.Expr) string {
	var b strings.Builder
	write(&b, x)
	return b.String()
}

// write writes words and expressions one after the other.
func write(b *strings.Builder, parts ...any) {
	for _, part := range parts {
		switch x := part.(type) {
		case string:
			b.WriteString(x)
		case []ast.Expr:
			for i, x := range x {
				if i > 0 {
					b.WriteString(", ")
				}
				write(b, x)
			}
		case ast.Expr:
			if !writeValue(b, x) {
				writeType(b, x)
			}
		}
	}
}

// writeValue writes an expression that is not a type literal. It returns false for a type
// literal.
func writeValue(b *strings.Builder, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		write(b, x.Name)
	case *ast.BasicLit:
		write(b, x.Value)
	case *ast.FuncLit:
		write(b, "(", x.Type, " literal)")
	case *ast.CompositeLit:
		write(b, x.Type, "{", shortened(len(x.Elts)), "}")
	case *ast.ParenExpr:
		write(b, "(", x.X, ")")
	case *ast.SelectorExpr:
		write(b, x.X, ".", x.Sel.Name)
	case *ast.IndexExpr:
		write(b, x.X, "[", x.Index, "]")
	case *ast.IndexListExpr:
		write(b, x.X, "[", x.Indices, "]")
	case *ast.SliceExpr:
		write(b, x.X, "[", x.Low, ":", x.High)
		if x.Slice3 {
			write(b, ":", x.Max)
		}
		write(b, "]")
	case *ast.TypeAssertExpr:
		write(b, x.X, ".(", x.Type, ")")
	case *ast.CallExpr:
		write(b, x.Fun, "(", x.Args)
		if x.Ellipsis.IsValid() {
			write(b, "...")
		}
		write(b, ")")
	case *ast.StarExpr:
		write(b, "*", x.X)
	case *ast.UnaryExpr:
		write(b, x.Op.String(), x.X)
	case *ast.BinaryExpr:
		write(b, x.X, " ", x.Op.String(), " ", x.Y)
	default:
		return false
	}
	return true
}

func writeType(b *strings.Builder, x ast.Expr) {
	switch x := x.(type) {
	case *ast.Ellipsis:
		write(b, "...", x.Elt)
	case *ast.ArrayType:
		write(b, "[", x.Len, "]", x.Elt)
	case *ast.MapType:
		write(b, "map[", x.Key, "]", x.Value)
	case *ast.ChanType:
		switch x.Dir {
		case ast.SEND:
			write(b, "chan<- ", x.Value)
		case ast.RECV:
			write(b, "<-chan ", x.Value)
		default:
			write(b, "chan ", x.Value)
		}
	case *ast.StructType:
		write(b, "struct{", shortened(len(x.Fields.List)), "}")
	case *ast.InterfaceType:
		write(b, "interface{", shortened(len(x.Methods.List)), "}")
	case *ast.FuncType:
		write(b, "func(", shortened(len(x.Params.List)), ")")
		if x.Results != nil && len(x.Results.List) > 0 {
			write(b, " …")
		}
	}
}

// shortened stands for n omitted elements.
func shortened(n int) string {
	if n > 0 {
		return "…"
	}
	return ""
}
