package native

import "github.com/gopor/gopor/internal/stack"

func init() { stack.Register(stack.Text, Do, Get[int], Get2[int, int]) }

// Do calls f. The functions of this file are called by small functions, which have
// their text that announces accesses in f: the compiler takes the call of a
// parameter to be cheap, and so it can inline them, as it would the originals. The
// frames of f, and of the function here, are left out of reports.
func Do(f func()) { f() }

// Get returns f().
func Get[T any](f func() T) T { return f() }

// Get2 returns f().
func Get2[T, U any](f func() (T, U)) (T, U) { return f() }
