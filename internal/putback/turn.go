package putback

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/gopor/gopor/internal/environ"
)

// Processes that share a search take turns with files: an execution that changes a file is alone,
// from its first change until its files are put back, and executions that use a file do not run
// beside it. A process that has only used files lets others go first when it comes to change one.
// That is no matter, since those put back what they change.

// turnName begins the name of the file by which processes take turns.
const turnName = "turn-"

// shared is the number of the process that has begun the search, or 0 if no other process shares
// it.
var shared = func() *atomic.Int64 {
	n := new(atomic.Int64)
	if IsWorker() {
		n.Store(int64(os.Getppid()))
	}
	return n
}()

// IsWorker reports whether this process is a worker of a search.
func IsWorker() bool {
	value, ok := syscall.Getenv(environ.Worker)
	return ok && value != ""
}

// IsShared reports whether other processes share the search.
func IsShared() bool { return shared.Load() != 0 }

// Share says that worker processes of this process share a search with it.
func Share() {
	if shared.Load() == 0 {
		shared.Store(int64(os.Getpid()))
	}
}

// A turn is that of an execution.
type turn struct {
	file  *os.File // stays open, nil until the first turn
	taken bool
	alone bool
}

// take takes the turn, unless no other process shares the search.
func (t *turn) take(folder string, alone bool) {
	by := shared.Load()
	if by == 0 || t.alone || t.taken && !alone {
		return
	}
	if t.file == nil {
		os.MkdirAll(folder, 0o700)
		f, err := os.OpenFile(filepath.Join(folder, fmt.Sprint(turnName, by)), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return
		}
		t.file = f
	}
	t.taken = lock(t.file, alone, true)
	t.alone = t.taken && alone
}

// leave gives the turn back.
func (t *turn) leave() {
	if t.taken {
		unlock(t.file)
		t.taken, t.alone = false, false
	}
}

// close closes the file.
func (t *turn) close() {
	t.leave()
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}
