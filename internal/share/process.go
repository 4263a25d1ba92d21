package share

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

// The files of a process that shares a search, in addition to the standard ones: its input and
// its output.
const (
	hears = 3
	says  = 4
)

// Beat is the maximal interval between messages of a process. After Silence such intervals
// without a message, the process counts as dead.
const (
	Beat    = 200 * time.Millisecond
	Silence = 50
)

// A Process is a process started by [Start] that shares a search with this one.
type Process struct {
	Link *Link
	cmd  *exec.Cmd
	tail tail
	done chan struct{} // closed when the process has ended
}

// Start starts a test program with an assignment and arguments. The program's output is copied
// to show, unless that is nil.
func Start(program string, args []string, a *Assignment, show io.Writer) (*Process, error) {
	what, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	in, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	theirs, out, err := os.Pipe()
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer out.Close()
	p := &Process{Link: NewLink(theirs, ours), cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.ExtraFiles = []*os.File{in, out}
	p.cmd.Env = append(inherited(), environ.Worker+"="+string(what))
	p.tail.show = show
	p.cmd.Stdout, p.cmd.Stderr = &p.tail, &p.tail
	p.cmd.WaitDelay = time.Second // for child processes that outlive it
	if err := p.cmd.Start(); err != nil {
		ours.Close()
		theirs.Close()
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// TestArgs returns arguments of a test program that select a test, or a Check of it, followed
// by others.
func TestArgs(test string, others []string) []string {
	test, _, _ = strings.Cut(test, "#")
	return append([]string{"-test.run=" + RunPattern(test), "-test.timeout=0"}, others...)
}

// RunPattern returns the -run flag that selects exactly one test.
func RunPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// inherited returns the environment without the variables for this process only.
func inherited() []string {
	not := []string{environ.Worker, environ.CheckWithin, environ.CheckRecord, environ.Replay, environ.ReplayLenient, environ.JSON, environ.HTML}
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(not, name)
	})
}

// Kill kills the process.
func (p *Process) Kill() { p.cmd.Process.Kill() }

// End closes the link, which ends the process, and kills the process if it does not end within
// grace.
func (p *Process) End(grace time.Duration) {
	p.Link.Close()
	select {
	case <-p.done:
	case <-time.After(grace):
		p.Kill()
		<-p.done
	}
}

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Status returns the exit status, -1 if a signal has killed the process. It waits for the end.
func (p *Process) Status() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// Last describes the end of the process with its last lines of output. It waits for the end.
func (p *Process) Last() string {
	<-p.done
	text := p.cmd.ProcessState.String()
	if out := p.tail.text(); out != "" {
		text += "; it has printed at last:\n    " + strings.ReplaceAll(out, "\n", "\n    ")
	}
	return text
}

// LastLine is Last in one line.
func (p *Process) LastLine() string {
	<-p.done
	text := p.cmd.ProcessState.String()
	if out := p.tail.text(); out != "" {
		text += fmt.Sprintf("; it has printed at last: %q", out[strings.LastIndexByte(out, '\n')+1:])
	}
	return text
}

// tail keeps the last lines written to it.
type tail struct {
	show io.Writer // gets a copy, unless it is nil
	mu   sync.Mutex
	last []byte
}

// mostTail is the maximal number of bytes kept.
const mostTail = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if n := len(t.last) - mostTail; n > 0 {
		t.last = append(t.last[:0], t.last[n:]...)
	}
	if t.show != nil {
		return t.show.Write(b)
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.last), ""))
}

// Assigned returns the assignment by [Start], nil if there is none. The error says that the
// environment variable is invalid.
func Assigned() (*Assignment, error) {
	text := os.Getenv(environ.Worker)
	if text == "" {
		return nil, nil
	}
	a := new(Assignment)
	if err := json.Unmarshal([]byte(text), a); err != nil {
		return nil, fmt.Errorf("%s is not for people to set: %w", environ.Worker, err)
	}
	return a, nil
}
