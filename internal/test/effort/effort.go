// Package effort says whether tests are to do all that they can. By default they take
// about three minutes of CPU time together: fewer random programs, and little of other
// people's code, which has to be built. With GOPOR_FULL=1 they do everything, as in
// ".ci/run full". Go's own tests treat -short like that, but there one has to ask for less.
package effort

import "os"

// Full reports whether everything is to be tested.
func Full() bool { return os.Getenv("GOPOR_FULL") == "1" }
