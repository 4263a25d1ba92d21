package witness

import (
	"encoding/json"
	"io"
	"runtime"
	"time"
)

// Request asks for native runs of a program.
type Request struct {
	Program string
	Runs    int
	// Waiting is the number of runs in which threads wait for ever after which no more
	// are made. Each of them takes its time, and leaves its goroutines behind.
	Waiting int
	// Grace is how long a timed program may go without an event before its threads are
	// taken to wait for ever.
	Grace time.Duration
}

// Reply tells what was seen.
type Reply struct {
	Outcomes map[string]int
	Error    string
	// Tired says that so many goroutines have been left behind that it is better to ask
	// another process the next time.
	Tired bool
}

// most is the number of goroutines left behind that make a process tired.
const most = 600

// Serve answers requests until there are no more.
func Serve(in io.Reader, out io.Writer) error {
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q Request
		if err := requests.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := replies.Encode(answer(&q)); err != nil {
			return err
		}
	}
}

// answer makes the runs, on one processor, on as many as there are and on more.
func answer(q *Request) *Reply {
	r := &Reply{Outcomes: make(map[string]int)}
	p, err := Parse(q.Program)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	waiting := 0
	for i, procs := range []int{runtime.NumCPU(), 1, runtime.NumCPU() + 2, runtime.NumCPU()} {
		runtime.GOMAXPROCS(procs)
		for range (q.Runs + i) / 4 {
			if waiting >= q.Waiting {
				break
			}
			outcome, waits := runNative(p, uint32(i), q.Grace)
			r.Outcomes[outcome]++
			if waits {
				waiting++
			}
		}
	}
	r.Tired = runtime.NumGoroutine() > most
	return r
}
