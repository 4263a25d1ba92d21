package check

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// A process that another one traces knows that, and one that is not traced does not say so.
func TestTraced(t *testing.T) {
	const asked, isTraced, isAlone = "GOPOR_TEST_TRACED", 11, 12
	if os.Getenv(asked) != "" {
		if traced() {
			os.Exit(isTraced)
		}
		os.Exit(isAlone)
	}
	runtime.LockOSThread() // only the thread that starts a process can trace it
	defer runtime.UnlockOSThread()
	for _, trace := range []bool{true, false} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTraced$")
		cmd.Env = append(os.Environ(), asked+"=1", "POR_INSTRUMENT=off")
		cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: trace}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: isTraced, false: isAlone}[trace]
		if status := ended(t, cmd.Process.Pid); status.ExitStatus() != want {
			t.Errorf("a process ends with status %d, and %d was expected", status.ExitStatus(), want)
		}
	}
}

// ended lets a child process run, which this thread may trace, and returns its status at the end.
func ended(t *testing.T, pid int) (status syscall.WaitStatus) {
	for {
		if _, err := syscall.Wait4(pid, &status, syscall.WALL, nil); err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			return status
		}
		signal := 0
		if s := status.StopSignal(); s != syscall.SIGTRAP {
			signal = int(s)
		}
		if err := syscall.PtraceCont(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}
