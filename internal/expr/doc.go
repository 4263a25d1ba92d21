// Package expr reads expressions of Go source: how they are written, and of what type they
// are, as far as the package that they are in tells. Package go/types knows more of both, and
// all that a test under control imports is compiled for it.
package expr
