//go:build gopor_vendor

package check

// Test binaries that build themselves again under control are made of packages
// that they do not import. Go mod tidy and go mod vendor look behind every build
// constraint, so naming them here makes these commands keep them, and all that
// they depend on, for modules that use this package.
import (
	_ "github.com/gopor/gopor/instrument"
	_ "github.com/gopor/gopor/sched/native"
	_ "github.com/gopor/gopor/sched/std/context"
	_ "github.com/gopor/gopor/sched/std/crypto/rand"
	_ "github.com/gopor/gopor/sched/std/io"
	_ "github.com/gopor/gopor/sched/std/iter"
	_ "github.com/gopor/gopor/sched/std/maps"
	_ "github.com/gopor/gopor/sched/std/math/rand"
	_ "github.com/gopor/gopor/sched/std/math/rand/v2"
	_ "github.com/gopor/gopor/sched/std/os/signal"
	_ "github.com/gopor/gopor/sched/std/runtime"
	_ "github.com/gopor/gopor/sched/std/sync"
	_ "github.com/gopor/gopor/sched/std/sync/atomic"
	_ "github.com/gopor/gopor/sched/std/testing/quick"
	_ "github.com/gopor/gopor/sched/std/time"
)
