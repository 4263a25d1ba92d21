//go:build gopor_vendor

package std

// Packages of the standard library import these packages under control, see por/vendored.go.
import (
	_ "github.com/gopor/gopor/sched/native/access"
	_ "github.com/gopor/gopor/sched/std/internal/quiet/atomic"
	_ "github.com/gopor/gopor/sched/std/internal/quiet/sync"
)
