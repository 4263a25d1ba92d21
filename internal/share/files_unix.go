//go:build unix

package share

import (
	"fmt"
	"os"
	"syscall"
)

// Parent returns the link to the process that has started this one by [Start]. Child processes
// of this process do not inherit the link, so that the parent notices the end of this process.
func Parent() (*Link, error) {
	for _, fd := range []int{hears, says} {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil {
			return nil, fmt.Errorf("the file %d that it is to be told by is missing: %w", fd, err)
		}
		syscall.CloseOnExec(fd)
	}
	return NewLink(os.NewFile(hears, "hears"), os.NewFile(says, "says")), nil
}
