package native

import "github.com/gopor/gopor/sched"

// Go is go f().
func Go(f func()) {
	if On() {
		sched.Go(f)
		return
	}
	go f()
}

// True makes x == True an untyped boolean, for a variable x of type bool. An untyped boolean
// can be an argument of any boolean type, as x was before it was evaluated ahead of a go
// statement.
const True = true
