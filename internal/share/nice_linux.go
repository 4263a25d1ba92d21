package share

import (
	"os"
	"strconv"
	"syscall"
)

// nice is how much less urgent a worker is than what is not: it gets a tenth of the time of a processor that both want.
const nice = 10

// BeNice lets other processes go first: what is urgent of this one are its threads, each by itself, and those that they start
// are as they are.
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
