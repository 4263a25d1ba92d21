// Package expr reads expressions of Go source: their text, and their types as far as the source
// of their package determines these. Package go/types knows more of both, but all that a test
// under control imports has to be compiled for it.
package expr
