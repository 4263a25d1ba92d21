package share

import (
	"os"
	"strconv"
	"syscall"
)

// nice is the niceness of a worker. Competing processes of normal niceness get ten times as
// much of a processor.
const nice = 10

// BeNice lowers the priority of all current threads of the process. Priorities are per thread,
// and new threads inherit that of the thread that starts them.
func BeNice() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
		}
	}
}
