package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

// TestShared holds the tests that are served. GOPOR_TEST_FOLDER is where they note what they have done.
func TestShared(t *testing.T) {
	folder := os.Getenv("GOPOR_TEST_FOLDER")
	if folder == "" {
		t.Skip("runs in a process of its own")
	}
	worker := strings.Contains(os.Getenv("POR_WORKER"), `"Name":"TestShared`)
	// once does do once, in whichever worker, when executions come to what is called name.
	once := func(name string, do func()) {
		name = filepath.Join(folder, name)
		if !worker {
			return
		}
		if f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666); err == nil {
			f.Close()
			do()
		}
	}
	die := func() {
		me, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		me.Kill()
		select {}
	}
	none := func([]int) bool { return false }
	opts := []por.Option{por.NoSave()}
	if os.Getenv("GOPOR_TEST_STEPS") != "" {
		opts = append(opts, por.MaxSteps(5000))
	}
	t.Run("none", func(t *testing.T) { por.Check(t, tickets(7, none), opts...) })
	size := 4
	if n, err := strconv.Atoi(os.Getenv("GOPOR_TEST_SIZE")); err == nil {
		size = n
	}
	t.Run("sized", func(t *testing.T) { por.Check(t, tickets(size, none), opts...) })
	t.Run("long", func(t *testing.T) { por.Check(t, tickets(8, none), opts...) })
	t.Run("some", func(t *testing.T) {
		por.Check(t, tickets(7, func(drawn []int) bool { return drawn[0] == 6 && drawn[3] == 2 }), opts...)
	})
	t.Run("second", func(t *testing.T) {
		por.Check(t, tickets(3, none), opts...)
		por.Check(t, tickets(7, none), opts...)
	})
	for name, f := range map[string]func(drawn []int) bool{
		"deaths": func(drawn []int) bool {
			once(fmt.Sprint("dead", drawn[0], drawn[1]%2), die)
			return false
		},
		"deadly": func(drawn []int) bool {
			if worker && drawn[0] == 4 && drawn[3] == 2 {
				die()
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) { por.Check(t, tickets(5, f), opts...) })
	}
}

// tickets has n goroutines that draw numbers one after the other. It fails if fails says so of the
// numbers that they have drawn.
func tickets(n int, fails func(drawn []int) bool) func() {
	return func() {
		next := sched.NewVar(0)
		var mu sched.Mutex
		var wg sched.WaitGroup
		drawn := make([]int, n)
		for i := range n {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				drawn[i] = next.Load()
				next.Store(drawn[i] + 1)
			})
		}
		if wg.Wait(); fails(drawn) {
			panic("drawn in the wrong order")
		}
	}
}

// TestCommand is a command in a process of its own: serve or work, of GOPOR_TEST_COMMAND.
func TestCommand(t *testing.T) {
	words := strings.Fields(os.Getenv("GOPOR_TEST_COMMAND"))
	if len(words) != 3 {
		t.Skip("runs in a process of its own")
	}
	os.Unsetenv("GOPOR_TEST_COMMAND")
	o := options(words[1], words[2])
	o.Out, o.Output = os.Stdout, os.Stdout
	if words[0] == "work" {
		if err := Work(t.Context(), o); err != nil {
			t.Error(err)
		}
		return
	}
	if _, err := Serve(t.Context(), o, nil); err != nil {
		t.Error(err)
	}
}

// options are those of a test.
func options(url, test string) Options {
	return Options{URL: url, Program: os.Args[0], Test: "TestShared/" + test, Out: os.Stderr, Output: os.Stderr,
		Args: []string{"-test.v"}, Slice: time.Millisecond, Patience: 2 * time.Second, Processes: 1}
}

// command starts a command in a process of its own.
func command(t *testing.T, name, url, test string) (*exec.Cmd, *text) {
	t.Helper()
	cmd, out := exec.Command(os.Args[0], "-test.run=^TestCommand$", "-test.v"), new(text)
	cmd.Env = append(os.Environ(), "GOPOR_TEST_COMMAND="+strings.Join([]string{name, url, test}, " "))
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, 10*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, out
}

// text is what is written to it, by whoever.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// natsServer starts a NATS server that keeps its data in a folder, at a port, 0 for any.
func natsServer(t *testing.T, folder string, port int) *server.Server {
	t.Helper()
	if port == 0 {
		port = -1
	}
	return started(t, &server.Options{Port: port, JetStream: true, StoreDir: folder})
}

// port returns that of a server.
func port(t *testing.T, s *server.Server) int {
	t.Helper()
	n, err := strconv.Atoi(s.ClientURL()[strings.LastIndexByte(s.ClientURL(), ':')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// serve serves a test, and returns what is printed.
func serve(t *testing.T, o Options) string {
	t.Helper()
	out := new(text)
	o.Out, o.Output = out, out
	if _, err := Serve(t.Context(), o, nil); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out.String()
}

// workers has n workers work, each as if it were elsewhere, until the test ends.
func workers(t *testing.T, n int, o Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := Work(ctx, o); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
}

func wantText(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(out, p) {
			t.Errorf("%q is missing in\n%s", p, out)
		}
	}
}

// What is said of the tests that do not fail.
const (
	all5040  = "all 5,040 traces explored, none fails (exhaustive; optimal DPOR by reverse search, "
	all40320 = "all 40,320 traces explored, none fails (exhaustive; optimal DPOR by reverse search, "
)

// here sets up a server, and where tests note what they have done.
func here(t *testing.T) (s *server.Server, folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	return natsServer(t, folder, 0), folder
}

// TestServe has workers come to what one process comes to.
func TestServe(t *testing.T) {
	s, _ := here(t)
	first := firstFails(t)
	for _, n := range []int{1, 3} {
		for test, want := range map[string]string{"none": all5040, "second#2": all5040, "some": "drawn in the wrong order"} {
			t.Run(fmt.Sprint(test, n), func(t *testing.T) {
				o := options(s.ClientURL(), test)
				workers(t, n, o)
				out := serve(t, o)
				wantText(t, out, want, "por-cluster: serving search TestShared_"+o.name()[len("TestShared_"):])
				if test == "some" {
					wantText(t, out, "found in execution "+first+": ")
				}
			})
		}
	}
}

// firstFails returns the number of the execution that fails with one process.
func firstFails(t *testing.T) string {
	t.Helper()
	res, err := por.Explore(tickets(7, func(drawn []int) bool { return drawn[0] == 6 && drawn[3] == 2 }), por.Engine(engine.Reverse{}))
	if err != nil || len(res.Failures) != 1 {
		t.Fatal(res, err)
	}
	return strconv.FormatInt(res.Failures[0].Execution, 10)
}

// TestBareName has a program that is named by its file alone, as a page of ours does: no command of $PATH is meant.
func TestBareName(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "none")
	o.Program = filepath.Base(os.Args[0])
	t.Chdir(filepath.Dir(os.Args[0]))
	workers(t, 1, o)
	wantText(t, serve(t, o), all5040)
}

// TestDeaths has worker processes be killed within executions, and of one job so often that it is an error.
func TestDeaths(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "deaths")
	o.Slice = 1 // a job is one execution
	workers(t, 2, o)
	wantText(t, serve(t, o), "all 120 traces explored, none fails (exhaustive; ")
	if dead, _ := filepath.Glob(filepath.Join(os.Getenv("GOPOR_TEST_FOLDER"), "dead*")); len(dead) != 10 {
		t.Errorf("%d processes were killed", len(dead))
	}
	o.Test = "TestShared/deadly"
	workers(t, 2, o)
	wantText(t, serve(t, o), "3 worker processes have ended within executions that begin with POR_REPLAY_LENIENT=1 POR_REPLAY=p1", "signal: killed")
}

// awaitResults waits until there are so many results of a search.
func awaitResults(t *testing.T, o Options, n uint64) {
	t.Helper()
	s, err := connect(&o, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer s.nc.Close()
	end := time.After(2 * time.Minute)
	for {
		ctx, cancel := call()
		stream, err := s.js.Stream(ctx, o.resultStream())
		cancel()
		if err == nil && stream.CachedInfo().State.Msgs >= n {
			return
		}
		select {
		case <-end:
			t.Fatal("there are no results")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestKilled kills workers with all that they are, and then the coordinator, in the middle.
func TestKilled(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "long")
	served, _ := command(t, "serve", o.URL, "long")
	for n := range uint64(3) {
		worker, _ := command(t, "work", o.URL, "long")
		awaitResults(t, o, 3*n+3)
		worker.Process.Kill()
	}
	served.Process.Kill()
	served.Wait()
	workers(t, 2, o)
	out := serve(t, o)
	wantText(t, out, all40320, "going on with search TestShared_long, of which ")
}

// TestServerRestarts has the NATS server go, and come back with what it had, and then without.
func TestServerRestarts(t *testing.T) {
	for _, keeps := range []bool{true, false} {
		s, folder := here(t)
		o := options(s.ClientURL(), "long")
		o.Memory = !keeps
		at := port(t, s)
		worker, _ := command(t, "work", o.URL, "long") // not to wait for one that has lost its search
		gone := make(chan bool)
		go func() {
			defer close(gone)
			awaitResults(t, o, 3)
			worker.Process.Kill() // so that the search cannot end meanwhile
			s.Shutdown()
			s.WaitForShutdown()
			natsServer(t, folder, at)
			if keeps {
				workers(t, 1, o)
			}
		}()
		out := serve(t, o)
		<-gone
		if keeps {
			wantText(t, out, all40320, "was lost", "again")
		} else {
			wantText(t, out, "NOT exhaustive (the queue has lost its data: there is no stream POR_TestShared_long_")
		}
	}
}

// TestStop ends a search with what there is, and goes on with it.
func TestStop(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "long")
	stop, out := make(chan struct{}), new(text)
	go func() {
		worker, _ := command(t, "work", o.URL, "long")
		awaitResults(t, o, 3)
		worker.Process.Kill()
		close(stop)
	}()
	stopped := o
	stopped.Out, stopped.Output = out, out
	if status, err := Serve(t.Context(), stopped, stop); err != nil || status != 130 {
		t.Errorf("exit status %d, %v", status, err)
	}
	wantText(t, out.String(), "none fails; NOT exhaustive (interrupted; ", "what was explored is kept")
	idle, said := o, new(text)
	idle.Out, idle.Idle = said, tellIdle+5*lookTime/2 // some jobs are left, of which nobody hears what comes of them
	if err := Work(t.Context(), idle); err != nil {
		t.Error(err)
	}
	wantText(t, said.String(), "nothing to explore for 10s. The search is kept: por-cluster serve goes on with it", "por-cluster: nothing to explore for 12.5s\n")
	workers(t, 1, o)
	wantText(t, serve(t, o), all40320, "going on with search")
}

// TestForeign has a search refuse other programs, by what they differ in.
func TestForeign(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "none")
	served, _ := command(t, "serve", o.URL, "none")
	awaitResults(t, o, 0)
	other := o
	other.Program = filepath.Join(t.TempDir(), "other.test")
	b, err := os.ReadFile(o.Program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other.Program, append(b, 0), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Work(t.Context(), other); err == nil || !strings.HasPrefix(err.Error(), "search TestShared_none: this is not the program of the search, which differs in binary (") || strings.Contains(err.Error(), "), ") {
		t.Error(err)
	}
	t.Setenv("GOPOR_TEST_STEPS", "5000")
	if err := Work(t.Context(), o); err == nil || !strings.Contains(err.Error(), "which differs in options (") || !strings.Contains(err.Error(), `"MaxSteps":5000,`) {
		t.Error(err)
	}
	t.Setenv("GOPOR_TEST_STEPS", "")
	other = o
	other.Test, other.Name = "TestShared/some", o.name()
	if err := Work(t.Context(), other); err == nil || !strings.Contains(err.Error(), "which differs in test (TestShared/some here, TestShared/none there)") {
		t.Error(err)
	}
	served.Process.Kill()
	served.Wait()
	if _, err := Serve(t.Context(), other, nil); err == nil || !strings.Contains(err.Error(), "(TestShared/some here, TestShared/none there). Remove what is kept of the other search with por-cluster clear") {
		t.Error(err)
	}
	if err := Clear(o); err != nil {
		t.Error(err)
	}
	if err := Clear(o); err != nil {
		t.Error(err)
	}
	workers(t, 1, other)
	wantText(t, serve(t, other), "drawn in the wrong order")
}

// TestEnvironment has a worker whose environment makes the test another one.
func TestEnvironment(t *testing.T) {
	s, _ := here(t)
	o := options(s.ClientURL(), "sized")
	o.Slice = 1
	t.Setenv("GOPOR_TEST_SIZE", "10") // it must not be over before the worker comes
	command(t, "serve", o.URL, "sized")
	awaitResults(t, o, 0)
	t.Setenv("GOPOR_TEST_SIZE", "5")
	if err := Work(t.Context(), o); err == nil || !strings.Contains(err.Error(), "which differs in first-execution (") {
		t.Error(err)
	}
}

// TestDiffers names what is different.
func TestDiffers(t *testing.T) {
	f := Fingerprint{"1", "go1.26", "linux/amd64", "v1.2.3", "TestX", "none", "abc"}
	if err := f.Differs(ofMetadata(f.metadata())); err != nil {
		t.Error(err)
	}
	for i, x := range f.fields() {
		g := f
		*g.fields()[i].value = "another"
		want := fmt.Sprintf("this is not the program of the search, which differs in %s (another here, %s there)", x.name, *x.value)
		if err := g.Differs(f); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestWrong has options that make no sense.
func TestWrong(t *testing.T) {
	s, _ := here(t)
	no := options("nats://127.0.0.1:1", "none")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o777); err != nil {
		t.Fatal(err)
	}
	noProgram, noTest, noName := options(s.ClientURL(), "none"), options(s.ClientURL(), "none"), options(s.ClientURL(), "none")
	noProgram.Program, noTest.Test, noName.Name = text, "", "***"
	for want, o := range map[string]Options{
		"cannot connect to nats://127.0.0.1:1": no, "is no test program": noProgram, "no test is given": noTest, `no character of the name "***"`: noName,
	} {
		if err := Work(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := Serve(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	noCheck := options(s.ClientURL(), "nothing")
	if out := serve(t, noCheck); !strings.Contains(out, "testing: warning: no tests to run") {
		t.Error(out)
	}
}

// natsServers starts a cluster of three NATS servers.
func natsServers(t *testing.T) (servers []*server.Server, url string) {
	t.Helper()
	var routes []*neturl.URL
	var ports []int
	for range 3 { // each is to know of the others before it starts
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &neturl.URL{Scheme: "nats", Host: l.Addr().String()})
		l.Close()
	}
	for i, port := range ports {
		s, err := server.NewServer(&server.Options{ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: port}, Routes: routes})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		servers = append(servers, s)
	}
	var urls []string
	for _, s := range servers {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a NATS server does not start")
		}
		urls = append(urls, s.ClientURL())
	}
	return servers, strings.Join(urls, ",")
}

// natsCluster starts a cluster of three NATS servers, and waits until all of them keep streams.
func natsCluster(t *testing.T) (servers []*server.Server, url string) {
	t.Helper()
	servers, url = natsServers(t)
	for end := time.After(time.Minute); ; {
		current := 0
		for _, s := range servers {
			if s.JetStreamIsCurrent() {
				current++
			}
		}
		if current == len(servers) {
			return servers, url
		}
		select {
		case <-end:
			t.Fatal("the NATS servers come to no agreement")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestReplicas has streams on three servers, of which the one that leads goes for good in the middle.
func TestReplicas(t *testing.T) {
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	servers, urls := natsCluster(t)
	o := options(urls, "long")
	o.Replicas = len(servers)
	gone := make(chan string, 1)
	go func() {
		worker, _ := command(t, "work", urls, "long")
		awaitResults(t, o, 3)
		worker.Process.Kill() // so that the search cannot end meanwhile
		for _, s := range servers {
			if s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, o.resultStream()) {
				gone <- s.Name()
				s.Shutdown()
				s.WaitForShutdown()
				break
			}
		}
		close(gone)
		workers(t, 2, o)
	}()
	out := serve(t, o)
	if <-gone == "" {
		t.Error("no server leads the results")
	}
	wantText(t, out, all40320)
}

// TestStarting has a search begin while its cluster of servers has no leader yet.
func TestStarting(t *testing.T) {
	_, urls := natsServers(t)
	o := options(urls, "some")
	o.Replicas = 3
	s, err := connect(&o, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer s.nc.Close()
	if err := s.open(Fingerprint{}, true); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		code   int
		error  jetstream.ErrorCode
		text   string
		passes bool
	}{
		{400, 10005, "no suitable peers for placement, peer offline", true},
		{400, 10005, "no suitable peers for placement, insufficient storage", false},
		{503, 10008, "JetStream system temporarily unavailable", true},
		{400, 10052, "replicas > 1 not supported in non-clustered mode", false},
	} {
		err := fmt.Errorf("as asked: %w", &jetstream.APIError{Code: c.code, ErrorCode: c.error, Description: c.text})
		if isStarting(err) != c.passes {
			t.Errorf("%v: a cluster that starts is %v", err, !c.passes)
		}
	}
}
